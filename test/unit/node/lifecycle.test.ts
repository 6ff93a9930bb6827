import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { type Lifecycle, Lifecycles } from '../../../src/node/lifecycle.ts'

function open(...parts: Lifecycle[]) {
  const logged: { message: string; properties: Record<string, unknown> | undefined }[] = []
  const note = (message: string, properties?: Record<string, unknown>): void => {
    logged.push({ message, properties })
  }
  const timers = {
    due: [] as (() => void)[],
    schedule: (_: number, callback: () => void) => {
      timers.due.push(callback)
      return { cancel: () => void timers.due.splice(timers.due.indexOf(callback), 1) }
    },
  }
  const logger = { ...silentLogger, warn: note, error: note }
  return { lifecycles: new Lifecycles(parts, { timers, logger }), logged, timers }
}

function part(name: string, told: string[], failing: { start?: Error; stop?: Error } = {}): Lifecycle {
  return {
    name,
    start: async () => {
      told.push(`start ${name}`)
      if (failing.start !== undefined) throw failing.start
    },
    stop: async () => {
      told.push(`stop ${name}`)
      if (failing.stop !== undefined) throw failing.stop
    },
  }
}

describe('the parts of a node', () => {
  it('start in order and stop in reverse, once', async () => {
    const told: string[] = []
    const { lifecycles } = open(part('a', told), { name: 'b', stop: () => void told.push('stop b') }, part('c', told))
    expect(lifecycles.state).toBe('built')
    await lifecycles.start()
    expect(lifecycles.state).toBe('running')
    await Promise.all([lifecycles.stop(), lifecycles.stop()])
    await lifecycles.stop()
    expect(lifecycles.state).toBe('stopped')
    expect(told).toEqual(['start a', 'start c', 'stop c', 'stop b', 'stop a'])
  })

  it('that were started are stopped when a later one cannot start', async () => {
    const told: string[] = []
    const error = new Error('no room')
    const { lifecycles } = open(part('a', told), part('b', told), part('c', told, { start: error }), part('d', told))
    await expect(lifecycles.start()).rejects.toBe(error)
    expect(told).toEqual(['start a', 'start b', 'start c', 'stop b', 'stop a'])
    expect(lifecycles.state).toBe('stopped')
  })

  it('are all stopped although one fails, which is logged with its name', async () => {
    const told: string[] = []
    const error = new Error('disk full')
    const { lifecycles, logged } = open(part('a', told), part('b', told, { stop: error }))
    await lifecycles.start()
    await lifecycles.stop()
    expect(told.slice(2)).toEqual(['stop b', 'stop a'])
    expect(logged).toEqual([{ message: 'failed to stop a part', properties: { part: 'b', error } }])
  })

  it('that take long to stop are named in the log', async () => {
    let end: () => void = () => {}
    const stop = (): Promise<void> => new Promise((resolve) => (end = resolve))
    const { lifecycles, logged, timers } = open({ name: 'slow', stop })
    await lifecycles.start()
    const stopped = lifecycles.stop()
    for (const callback of timers.due) callback()
    end()
    await stopped
    expect(logged).toEqual([{ message: 'a part is slow to stop', properties: { part: 'slow' } }])
    expect(timers.due).toEqual([])
  })

  it('are started only once', async () => {
    const { lifecycles } = open()
    await lifecycles.start()
    await expect(lifecycles.start()).rejects.toThrow(TypeError)
  })
})
