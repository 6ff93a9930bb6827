import { describe, expect, test } from 'vitest'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { hashOfKey } from '../../../src/storage/keyHash.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { bytes, put, storeContract, synchronous } from './contract.ts'

function stage(staged: StagedStore, batch: readonly Mutation[]): void {
  for (const { key, value } of batch) {
    if (value === undefined) staged.delete(key)
    else staged.put(key, value)
  }
}

/** Every other batch is written to the base, so that reads must merge both. */
storeContract('staged', () => {
  const base = new MemoryStore()
  const staged = new StagedStore(base)
  let batches = 0
  return synchronous({
    get: (key) => staged.get(key),
    getMany: (keys) => staged.getMany(keys),
    range: (options) => staged.range(options),
    commit: (batch) => {
      stage(staged, batch)
      if (batches++ % 2 > 0) return
      base.commit(staged.mutations())
      staged.clear()
    },
    close: () => base.close(),
  })
})

describe('StagedStore', () => {
  test('does not change its base, and returns one mutation per key', () => {
    const base = new MemoryStore()
    base.commit([put(bytes(1), bytes(1))])
    const staged = new StagedStore(base)
    staged.put(bytes(1), bytes(2))
    staged.delete(bytes(1))
    staged.put(bytes(2), bytes(3))
    expect(base.get(bytes(1))).toEqual(bytes(1))
    expect(staged.mutations()).toEqual([
      { key: bytes(1), value: undefined, hash: hashOfKey(bytes(1)) },
      { key: bytes(2), value: bytes(3), hash: hashOfKey(bytes(2)) },
    ])
    staged.clear()
    expect(staged.mutations()).toEqual([])
    expect(staged.get(bytes(1))).toEqual(bytes(1))
  })

  test('every key of a range may be deleted during iteration', () => {
    const base = new MemoryStore()
    base.commit(Array.from({ length: 1000 }, (_, i) => put(bytes(0x23, i >> 8, i & 255), bytes(1))))
    const staged = new StagedStore(base)
    staged.put(bytes(0x23, 0x01, 0x01), bytes(2))
    for (const [key] of staged.range({ prefix: bytes(0x23) })) staged.delete(key)
    expect([...staged.range({ prefix: bytes(0x23) })]).toEqual([])
    expect(staged.size).toBe(1000)
  })

  test('removes mutations for an earlier commit', () => {
    const staged = new StagedStore(new MemoryStore())
    for (let i = 0; i < 1000; i++) staged.put(bytes(1 + (i % 2), i >> 8, i & 255), bytes(i & 255))
    expect([...staged.range({ prefix: bytes(1) })]).toHaveLength(500)
    const taken = staged.take(({ key }) => key[0] === 1)
    expect(taken).toHaveLength(500)
    expect(staged.size).toBe(500)
    expect([...staged.range({ prefix: bytes() })].every(([key]) => key[0] === 2)).toBe(true)
    expect(staged.get(bytes(1, 0, 2))).toBeUndefined()
    expect(staged.get(bytes(2, 3, 231))).toEqual(bytes(231))
  })
})
