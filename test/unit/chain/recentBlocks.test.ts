import { describe, expect, test } from 'vitest'
import { RECENT_TERMS_BYTES } from '../../../src/base/limits/limits.ts'
import { uintBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { RecentBlocks } from '../../../src/chain/recentBlocks.ts'
import type { CanonicalBlock } from '../../../src/chain/termIndex/canonicalBlocks.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { keys } from '../../../src/storage/schema.ts'

/** A store that counts what is read. */
class CountingStore extends MemoryStore {
  reads = 0

  override get(key: Uint8Array): Uint8Array | undefined {
    this.reads++
    return super.get(key)
  }

  override getMany(wanted: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return wanted.map((key) => this.get(key))
  }
}

const hashOf = (number: number, branch: number) => keccak256(uintBytes(number * 10 + branch, 6))

/** Makes the blocks of a branch canonical. */
function put(store: MemoryStore, from: number, to: number, branch = 0, termBytes = 8): void {
  for (let number = from; number <= to; number++) {
    const hash = hashOf(number, branch)
    store.commit([
      { key: keys.canonicalHash(number), value: hash },
      { key: keys.blockTerms(number, hash), value: new Uint8Array(termBytes).fill(number) },
    ])
  }
}

function filled(to: number): CountingStore {
  const store = new CountingStore()
  put(store, 0, to)
  return store
}

const hashes = (blocks: readonly CanonicalBlock[] | undefined) => blocks?.map(({ hash }) => hash)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const branchHashes = (from: number, to: number, branch = 0) => range(from, to).map((number) => hashOf(number, branch))

describe('the recent blocks', () => {
  test('are read once, and one hash shows that they are still canonical', () => {
    const store = filled(40)
    const recent = new RecentBlocks(store)
    expect(hashes(recent.read(0, 7))).toEqual(branchHashes(0, 7))
    expect(hashes(recent.read(8, 23))).toEqual(branchHashes(8, 23))
    store.reads = 0
    expect(hashes(recent.read(3, 20))).toEqual(branchHashes(3, 20))
    expect(recent.hashes([4, 9, 23])).toEqual([4, 9, 23].map((number) => hashOf(number, 0)))
    expect(store.reads).toBe(2)
    expect(hashes(recent.read(20, 30))).toEqual(branchHashes(20, 30))
    expect(recent.read(30, 30)?.[0]?.terms?.getUint8(0)).toBe(30)
  })

  test('end where the chain ends, and go on when it grows', () => {
    const store = filled(10)
    const recent = new RecentBlocks(store)
    expect(hashes(recent.read(8, 15))).toEqual(branchHashes(8, 10))
    expect(recent.hashes([11])).toBeUndefined()
    put(store, 11, 12)
    expect(hashes(recent.read(8, 15))).toEqual(branchHashes(8, 12))
    expect(recent.read(20, 21)).toEqual([])
    expect(hashes(recent.read(9, 12))).toEqual(branchHashes(9, 12))
  })

  test('follow a reorganisation', () => {
    const store = filled(20)
    const recent = new RecentBlocks(store)
    recent.read(0, 20)
    put(store, 15, 20, 1)
    expect(recent.hashes([3, 20])).toBeUndefined()
    // The blocks below the fork are canonical still.
    expect(recent.hashes([3, 14])).toEqual([hashOf(3, 0), hashOf(14, 0)])
    expect(hashes(recent.read(10, 20))).toEqual([...branchHashes(10, 14), ...branchHashes(15, 20, 1)])
    expect(recent.hashes([16])).toEqual([hashOf(16, 1)])
  })

  test('do not leave for older ones', () => {
    const store = filled(40)
    const recent = new RecentBlocks(store)
    recent.read(30, 40)
    expect(recent.read(0, 7)).toBeUndefined()
    expect(recent.read(25, 33)).toBeUndefined()
    expect(recent.hashes([30, 40])).toEqual([hashOf(30, 0), hashOf(40, 0)])
    expect(recent.hashes([29])).toBeUndefined()
  })

  test('have a bound in blocks and one in bytes', () => {
    const store = filled(700)
    const recent = new RecentBlocks(store)
    expect(recent.read(0, 700)).toHaveLength(701)
    expect(recent.hashes([701 - 512])).toBeDefined()
    expect(recent.hashes([700 - 512])).toBeUndefined()
    put(store, 701, 710, 0, 10_000)
    const small = new RecentBlocks(store, 40_000 / RECENT_TERMS_BYTES)
    expect(small.read(701, 710)).toHaveLength(10)
    expect(small.hashes([708])).toBeDefined()
    expect(small.hashes([707])).toBeUndefined()
    expect(hashes(small.read(708, 710))).toEqual(branchHashes(708, 710))
  })
})
