import { describe, expect, test } from 'vitest'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { bytes, put, remove, storeContract, synchronous } from './contract.ts'

storeContract('memory', () => synchronous(new MemoryStore()))

describe('MemoryStore', () => {
  test('keeps thousands of keys in order through insertions and deletions', () => {
    const store = new MemoryStore()
    const keyOf = (n: number) => bytes(0x20, n >> 8, n & 255)
    const present = () => [...store.range({ prefix: bytes(0x20) })].map(([key]) => ((key[1] ?? 0) << 8) | (key[2] ?? 0))
    expect(present()).toEqual([])
    const numbers = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5000)
    for (const n of numbers) store.commit([put(keyOf(n), bytes(n & 255))])
    expect(present()).toEqual(numbers.slice().sort((a, b) => a - b))
    store.commit(numbers.filter((n) => n % 3 > 0).map((n) => remove(keyOf(n))))
    expect(present()).toEqual(numbers.filter((n) => n % 3 === 0).sort((a, b) => a - b))
  })

  test('keys may be deleted while a range is iterated over', () => {
    for (const reverse of [false, true]) {
      const store = new MemoryStore()
      store.commit(Array.from({ length: 2000 }, (_, i) => put(bytes(0x23, i >> 8, i & 255), bytes(1))))
      let seen = 0
      for (const [key] of store.range({ prefix: bytes(0x23), reverse })) {
        store.commit([remove(key)])
        seen++
      }
      expect(seen).toBe(2000)
    }
  })

  test('a batch with a bad key changes nothing', () => {
    const store = new MemoryStore()
    expect(() => store.commit([put(bytes(1), bytes(1)), put(bytes(), bytes(1))])).toThrow(RangeError)
    expect(store.get(bytes(1))).toBeUndefined()
  })

  test('keeps its own copy of keys and values', () => {
    const store = new MemoryStore()
    const [key, value] = [bytes(1, 2), bytes(3, 4)]
    store.commit([put(key, value)])
    key.fill(0)
    value.fill(0)
    expect(store.get(bytes(1, 2))).toEqual(bytes(3, 4))
  })

  test('a value that was read stays the same when its key is replaced and its memory is reclaimed', () => {
    const store = new MemoryStore()
    store.commit([put(bytes(1, 1), bytes(7, 7, 7))])
    const before = store.get(bytes(1, 1))
    for (let i = 0; i < 20_000; i++) store.commit([put(bytes(1, 1), bytes(i & 255, 8, 9, 10))])
    expect(before).toEqual(bytes(7, 7, 7))
    expect(store.get(bytes(1, 1))).toEqual(bytes(19_999 & 255, 8, 9, 10))
  })

  test('replaced and deleted values do not retain memory', () => {
    const store = new MemoryStore()
    const keyOf = (n: number) => bytes(0x20, n >> 8, n & 255)
    const kept = Array.from({ length: 100 }, (_, n) => put(keyOf(n), new Uint8Array(50).fill(n)))
    store.commit(kept)
    const buffers = new Set<unknown>()
    for (let round = 0; round < 50; round++) {
      store.commit(Array.from({ length: 900 }, (_, n) => put(keyOf(100 + n), new Uint8Array(500).fill(round))))
      store.commit(Array.from({ length: 900 }, (_, n) => remove(keyOf(100 + n))))
    }
    for (const { key, value } of kept) {
      expect(store.get(key)).toEqual(value)
      buffers.add(store.get(key)?.buffer)
    }
    expect([...store.range({ prefix: bytes(0x20) })]).toHaveLength(100)
    expect(buffers.size).toBeLessThan(4)
  })
})
