import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../../src/base/ports/keyValueStore.ts'
import { FixedStore } from '../../../src/storage/fixedStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { bytes, put } from './contract.ts'

const key = fc.uint8Array({ minLength: 1, maxLength: 3, max: 4 })
const entries: fc.Arbitrary<Entry[]> = fc.uniqueArray(fc.tuple(key, fc.uint8Array({ maxLength: 2 })), {
  selector: ([each]) => each.join(),
  maxLength: 8,
})
const range = fc.record(
  { prefix: fc.uint8Array({ maxLength: 2, max: 4 }), from: key, limit: fc.nat(4), reverse: fc.boolean() },
  { requiredKeys: ['prefix'] },
)

describe('FixedStore', () => {
  test('answers like a store to which its entries were committed', () => {
    fc.assert(
      fc.property(entries, range, key, (given, options, other) => {
        const fixed = new FixedStore(given)
        const memory = new MemoryStore()
        memory.commit(given.map(([each, value]) => put(each, value)))
        expect([...fixed.range(options)]).toEqual([...memory.range(options)])
        const keys = [...given.map(([each]) => each), other]
        expect(fixed.getMany(keys)).toEqual(memory.getMany(keys))
      }),
    )
  })

  test('refuses changes', () => {
    expect(() => new FixedStore([[bytes(1), bytes(2)]]).commit()).toThrow('fixed')
  })
})
