import { describe, expect, it } from 'vitest'
import { Emitter } from '../../../../src/base/primitives/events.ts'

interface Events {
  head: number
  other: string
}

describe('Emitter', () => {
  it('calls the listeners of the event in order', () => {
    const emitter = new Emitter<Events>()
    const seen: string[] = []
    emitter.on('head', (n) => seen.push(`a${n}`))
    emitter.on('head', (n) => seen.push(`b${n}`))
    emitter.on('other', (text) => seen.push(text))
    emitter.emit('head', 1)
    expect(seen).toEqual(['a1', 'b1'])
  })

  it('stops calling a removed listener, even if it was added twice', () => {
    const emitter = new Emitter<Events>()
    const seen: number[] = []
    const listener = (n: number): void => void seen.push(n)
    const first = emitter.on('head', listener)
    emitter.on('head', listener)
    first()
    first()
    emitter.emit('head', 7)
    expect(seen).toEqual([7])
    expect(emitter.has('head')).toBe(true)
    expect(emitter.has('other')).toBe(false)
  })

  it('contains errors of listeners, synchronous or asynchronous', async () => {
    const errors: unknown[] = []
    const emitter = new Emitter<Events>((error) => errors.push(error))
    const seen: number[] = []
    emitter.on('head', () => {
      throw new Error('now')
    })
    emitter.on('head', async () => {
      throw new Error('later')
    })
    emitter.on('head', (n) => seen.push(n))
    emitter.emit('head', 3)
    await Promise.resolve()
    await Promise.resolve()
    expect(seen).toEqual([3])
    expect(errors.map((error) => (error as Error).message)).toEqual(['now', 'later'])
  })

  it('lets a listener unsubscribe another during an event', () => {
    const emitter = new Emitter<Events>()
    const seen: string[] = []
    let off: () => void = () => {}
    emitter.on('head', () => off())
    off = emitter.on('head', () => seen.push('second'))
    emitter.emit('head', 1)
    emitter.emit('head', 2)
    expect(seen).toEqual(['second'])
  })
})
