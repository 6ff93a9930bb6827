import { describe, expect, test } from 'vitest'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
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

  test('a small value does not retain the buffer that contained it', () => {
    const store = new MemoryStore()
    store.commit([put(bytes(1), new Uint8Array(4096).subarray(10, 12))])
    expect(store.get(bytes(1))?.buffer.byteLength).toBe(2)
  })
})
