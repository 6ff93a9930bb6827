import { describe, expect, it } from 'vitest'
import { WorkQueue } from '../../src/chain/workQueue.ts'

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

  it('refuses more jobs than it has room for, and takes them again afterwards', async () => {
    const queue = new WorkQueue(2)
    const first = queue.run(() => later(1))
    const second = queue.run(() => later(1))
    await expect(queue.run(() => 1)).rejects.toMatchObject({ code: 'WRITER_QUEUE_FULL' })
    await Promise.all([first, second])
    expect(await queue.run(() => 1)).toBe(1)
  })

  it('goes on after a job that failed', async () => {
    const queue = new WorkQueue(2)
    const failed = queue.run(() => {
      throw new Error('no')
    })
    const next = queue.run(() => 2)
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe(2)
    expect(queue.length).toBe(0)
  })

  it('finishes what it accepted before it closes', async () => {
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
