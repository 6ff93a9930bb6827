import { describe, expect, it } from 'vitest'
import { Turns } from '../../../../../adapters/browser/sharing/turns.ts'

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('turns', () => {
  it('run alone or beside each other, in their order', async () => {
    const turns = new Turns()
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    const ask = (name: string, turn: Promise<() => void>) =>
      turn.then((end) => {
        begun.push(name)
        ends.set(name, end)
      })
    ask('a', turns.beside())
    ask('b', turns.beside())
    ask('c', turns.alone())
    ask('d', turns.beside())
    await settled()
    expect(begun).toEqual(['a', 'b'])
    ends.get('a')?.()
    // A second end of the same turn is not the end of another one.
    ends.get('a')?.()
    await settled()
    expect(begun).toEqual(['a', 'b'])
    ends.get('b')?.()
    await settled()
    expect(begun).toEqual(['a', 'b', 'c'])
    ends.get('c')?.()
    await settled()
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
  })
})
