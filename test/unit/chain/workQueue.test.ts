import { describe, expect, it } from 'vitest'
import { MAX_URGENT_RUN } from '../../../src/base/limits/limits.ts'
import { type Lane, WorkQueue } from '../../../src/chain/workQueue.ts'

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('WorkQueue', () => {
  it('runs one job at a time, first in first out', async () => {
    const queue = new WorkQueue(10)
    const log: string[] = []
    const job = (name: string, ms: number) => async () => {
      log.push(`${name} starts`)
      await later(ms)
      log.push(`${name} ends`)
      return name
    }
    const results = await Promise.all([queue.run(job('a', 5)), queue.run(job('b', 0)), queue.run(() => 'c')])
    expect(results).toEqual(['a', 'b', 'c'])
    expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends'])
  })

  it('refuses jobs beyond its capacity, and accepts jobs again afterwards', async () => {
    const queue = new WorkQueue(2)
    const first = queue.run(() => later(1))
    const second = queue.run(() => later(1))
    await expect(queue.run(() => 1)).rejects.toMatchObject({ code: 'WRITER_QUEUE_FULL' })
    await Promise.all([first, second])
    expect(await queue.run(() => 1)).toBe(1)
  })

  it('continues after a failed job', async () => {
    const queue = new WorkQueue(2)
    const failed = queue.run(() => {
      throw new Error('no')
    })
    const next = queue.run(() => 2)
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe(2)
    expect(queue.length).toBe(0)
  })

  it('finishes accepted jobs before it closes', async () => {
    const queue = new WorkQueue(2)
    let done = false
    const job = queue.run(async () => {
      await later(2)
      done = true
    })
    await queue.close()
    expect(done).toBe(true)
    await job
    await expect(queue.run(() => 1)).rejects.toMatchObject({ code: 'WRITER_CLOSED' })
  })
})

describe('lanes', () => {
  it('run urgent jobs before ordinary ones, each lane in its order', async () => {
    const queue = new WorkQueue(10)
    const log: string[] = []
    const add = (name: string, lane: Lane) => queue.run(() => void log.push(name), lane)
    const first = queue.run(async () => {
      await later(1)
      log.push('first')
    })
    await Promise.all([first, add('a', 'ordinary'), add('b', 'ordinary'), add('c', 'urgent'), add('d', 'urgent')])
    expect(log).toEqual(['c', 'd', 'first', 'a', 'b'])
  })

  it('run an ordinary job after a number of urgent ones, however many are waiting', async () => {
    const queue = new WorkQueue(1000)
    const log: string[] = []
    const urgent = (): void => {
      log.push('urgent')
      if (log.length < 200) void queue.run(urgent, 'urgent').catch(() => {})
    }
    void queue.run(urgent, 'urgent')
    await Promise.all([1, 2, 3].map((i) => queue.run(() => void log.push(`ordinary ${i}`))))
    const at = [1, 2, 3].map((i) => log.indexOf(`ordinary ${i}`))
    expect(at).toEqual([MAX_URGENT_RUN, 2 * MAX_URGENT_RUN + 1, 3 * MAX_URGENT_RUN + 2])
    await queue.close()
  })

  it('run a bounded number of urgent jobs when an ordinary one yields', async () => {
    const queue = new WorkQueue(1000)
    const log: string[] = []
    const urgent = (): void => {
      log.push('urgent')
      void queue.run(urgent, 'urgent').catch(() => {})
    }
    const long = queue.run(async () => {
      void queue.run(urgent, 'urgent')
      expect(queue.hasUrgent).toBe(true)
      for (let i = 0; i < 3; i++) {
        log.push('step')
        await queue.giveWay()
      }
      log.push('done')
    })
    await long
    const expected = ['step', ...Array(MAX_URGENT_RUN).fill('urgent')]
    expect(log.slice(0, 3 * expected.length + 1)).toEqual([...expected, ...expected, ...expected, 'done'])
    await queue.close()
  })

  it('are each bounded', async () => {
    const queue = new WorkQueue(1)
    const ordinary = queue.run(() => later(1))
    const urgent = queue.run(() => 2, 'urgent')
    const refused = await Promise.allSettled([queue.run(() => 1), queue.run(() => 1, 'urgent')])
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await ordinary
    expect(await urgent).toBe(2)
  })
})
