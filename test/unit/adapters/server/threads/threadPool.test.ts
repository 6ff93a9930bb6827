import { describe, expect, it } from 'vitest'
import {
  type ClosedThread,
  MAX_THREAD_DEATHS,
  type PoolThread,
  type PoolThreadEvents,
  ThreadPool,
  type ThreadPoolOptions,
} from '../../../../../adapters/server/threads/threadPool.ts'

/** A thread whose life the test decides. */
class TestThread implements PoolThread<string> {
  readonly tasks: string[] = []
  readonly events: PoolThreadEvents<string>
  isReady = false
  isClosed = false

  constructor(events: PoolThreadEvents<string>) {
    this.events = events
  }

  get load(): number {
    return this.tasks.length
  }

  begin(task: string): void {
    this.tasks.push(task)
  }

  close(): ClosedThread<string> {
    this.isClosed = true
    return { unfinished: this.tasks.splice(0), ended: Promise.resolve() }
  }

  becomeReady(): void {
    this.isReady = true
    this.events.ready()
  }

  finish(): void {
    this.tasks.shift()
    this.events.free()
  }

  die(): void {
    this.events.died(new Error('died'), this.tasks.splice(0))
  }
}

function open(options: Partial<ThreadPoolOptions<string, TestThread>> = {}) {
  const threads: TestThread[] = []
  const stranded: string[] = []
  const pool: ThreadPool<string, TestThread> = new ThreadPool({
    open: (events) => {
      const thread = new TestThread(events)
      threads.push(thread)
      return thread
    },
    onStranded: () => {
      for (let task = pool.take(); task !== undefined; task = pool.take()) stranded.push(task)
    },
    ...options,
  })
  return { pool, threads, stranded }
}

describe('a pool of threads', () => {
  it('starts a thread when the others are busy, and queues tasks when all are full', () => {
    const { pool, threads } = open({ size: 2, maxLoad: 2 })
    pool.add('a', 'b', 'c', 'd', 'e')
    expect(threads.map(({ tasks }) => tasks)).toEqual([
      ['a', 'c'],
      ['b', 'd'],
    ])
    expect([pool.running, pool.waiting]).toEqual([4, 1])
    threads[1]?.finish()
    expect(threads[1]?.tasks).toEqual(['d', 'e'])
    expect(pool.waiting).toBe(0)
  })

  it('prefers an idle thread that suits the task', () => {
    const { pool, threads } = open({ size: 2, suits: (thread, task) => thread === threads[1] && task === 'x' })
    pool.add('a', 'b')
    for (const thread of threads) thread.finish()
    pool.add('x')
    expect(threads.map(({ tasks }) => tasks)).toEqual([[], ['x']])
  })

  it('starts all threads together, and gives tasks to those that are ready', () => {
    const { pool, threads, stranded } = open({ size: 2, maxLoad: 1, start: 'together' })
    pool.add('a')
    expect([threads.length, stranded]).toEqual([2, ['a']])
    threads[0]?.becomeReady()
    pool.add('b', 'c')
    expect([threads[0]?.tasks, threads[1]?.tasks, pool.waiting]).toEqual([['b'], [], 1])
    threads[1]?.becomeReady()
    expect(threads[1]?.tasks).toEqual(['c'])
  })

  it('returns the tasks of a dead thread to its owner, and starts none after several deaths', () => {
    const { pool, threads, stranded } = open()
    for (let i = 0; i < MAX_THREAD_DEATHS + 2; i++) {
      pool.add(`${i}`)
      threads[i]?.die()
    }
    expect(stranded).toEqual(['0', '1', '2', '3', '4'])
    expect([threads.length, pool.isBroken]).toEqual([MAX_THREAD_DEATHS, true])
  })

  it('counts a thread that cannot be opened as dead', () => {
    const { pool, stranded } = open({
      open: () => {
        throw new Error('no memory')
      },
    })
    for (let i = 0; i < MAX_THREAD_DEATHS; i++) pool.add(`${i}`)
    expect([pool.isBroken, stranded.length]).toEqual([true, MAX_THREAD_DEATHS])
  })

  it('replaces a dead thread, in front of the tasks that wait', () => {
    const { pool, threads } = open({ isReplaced: true, maxLoad: 1 })
    pool.add('a', 'b')
    threads[0]?.die()
    expect([threads[1]?.tasks, pool.waiting]).toEqual([['a'], 1])
  })

  it('can count only threads that never became ready, one after the other', () => {
    const { pool, threads } = open({ counted: 'starts', isReplaced: true })
    pool.add('a')
    for (let i = 0; i < 2 * MAX_THREAD_DEATHS; i++) {
      threads.at(-1)?.becomeReady()
      threads.at(-1)?.die()
    }
    expect(pool.isBroken).toBe(false)
    for (let i = 0; i < MAX_THREAD_DEATHS; i++) threads.at(-1)?.die()
    expect(pool.isBroken).toBe(true)
  })

  it('closes an idle thread and starts another for the next task', () => {
    const { pool, threads } = open()
    pool.add('a')
    threads[0]?.finish()
    threads[0]?.events.idle()
    expect(threads[0]?.isClosed).toBe(true)
    pool.add('b')
    expect(threads[1]?.tasks).toEqual(['b'])
  })

  it('leaves its owner the tasks when it is closed', async () => {
    const { pool, threads, stranded } = open({ maxLoad: 1 })
    pool.add('a', 'b', 'c')
    pool.remove('b')
    await pool.close()
    expect([stranded, threads[0]?.isClosed]).toEqual([['a', 'c'], true])
    pool.add('d')
    expect([stranded.at(-1), threads.length]).toEqual(['d', 1])
  })
})
