import { describe, expect, it } from 'vitest'
import { type Residency, StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import { ResidentTurns } from '../../../src/storage/residentTurns.ts'

const KEYS = { kind: 'keys', keys: [] } as const

function open(residency?: Residency) {
  const errors: unknown[] = []
  return { errors, turns: new ResidentTurns(residency, (error) => errors.push(error)) }
}

describe('steps over a store that may have to load data', () => {
  it('run synchronously when no data are missing', async () => {
    const { turns, errors } = open()
    const done: number[] = []
    turns.run(() => done.push(1))
    expect(done).toEqual([1])
    turns.run(() => {
      throw new Error('wrong')
    })
    turns.run(() => {
      throw new StoreMiss(KEYS)
    })
    expect(errors).toHaveLength(2)
    await turns.settled()
  })

  it('keep their order when one has to wait, including nested steps', async () => {
    const isThere = new Set<string>()
    let wanted = ''
    const { turns, errors } = open({
      load: async () => {
        isThere.add(wanted)
      },
    })
    const done: string[] = []
    const step = (name: string, after?: () => void) => () => {
      if (!isThere.has(name)) {
        wanted = name
        throw new StoreMiss(KEYS)
      }
      done.push(name)
      after?.()
    }
    turns.run(step('a', () => turns.run(step('a1'))))
    turns.run(() => {
      throw new Error('wrong')
    })
    turns.run(step('b'))
    expect(done).toEqual([])
    await turns.settled()
    expect(done).toEqual(['a', 'b', 'a1'])
    expect(errors).toHaveLength(1)
    turns.run(() => done.push('c'))
    expect(done.at(-1)).toBe('c')
  })
})
