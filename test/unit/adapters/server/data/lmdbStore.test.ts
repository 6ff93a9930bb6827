// slow: many databases
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type Durability, LmdbStore } from '../../../../../adapters/server/data/lmdbStore.ts'
import { bytes, put, storeContract, synchronous } from '../../../storage/contract.ts'

const root = mkdtempSync(path.join(tmpdir(), 'isonode-lmdb-'))
let directories = 0
const freshDirectory = () => path.join(root, `${directories++}`)
const open = (durability: Durability = 'process', directory = freshDirectory()) =>
  new LmdbStore({ directory, durability })

afterAll(() => rmSync(root, { recursive: true, force: true }))

storeContract('LMDB', () => synchronous(open()), { runs: 30 })
storeContract('LMDB, synced', () => synchronous(open('power')), { runs: 3 })

describe('LmdbStore', () => {
  const opened: LmdbStore[] = []
  const kept = (store: LmdbStore) => {
    opened.push(store)
    return store
  }
  afterEach(async () => {
    for (const store of opened.splice(0).reverse()) await store.close()
  })

  test('keeps everything across a restart', async () => {
    const directory = freshDirectory()
    const first = open('process', directory)
    first.commit([put(bytes(1, 1), bytes(5))])
    await first.close()
    expect(kept(open('power', directory)).get(bytes(1, 1))).toEqual(bytes(5))
  })

  test('returns values of all sizes completely, and never changes them', () => {
    const store = kept(open())
    const sizes = [0, 1, 100, 4096, 16_384, 16_385, 40_000, 1_000_000, 5_000_000]
    const valueOfSize = (size: number) => Uint8Array.from({ length: size }, (_, i) => i + size)
    store.commit(sizes.map((size, i) => put(bytes(0x21, i), valueOfSize(size))))
    const values = sizes.map((_, i) => store.get(bytes(0x21, i)))
    const ranged = [...store.range({ prefix: bytes(0x21) })]
    store.commit(sizes.map((_, i) => put(bytes(0x21, i), bytes(0))))
    sizes.forEach((size, i) => {
      expect(Buffer.compare(values[i] ?? bytes(), valueOfSize(size))).toBe(0)
      expect(Buffer.compare(ranged[i]?.[1] ?? bytes(), valueOfSize(size))).toBe(0)
    })
  })

  test('long ranges span several chunks, in both directions', () => {
    const store = kept(open())
    const key = (n: number) => bytes(0x16, n >> 8, n & 255)
    store.commit(Array.from({ length: 1500 }, (_, i) => put(key(i), bytes(i & 255))))
    const numbers = (reverse: boolean) =>
      [...store.range({ prefix: bytes(0x16), reverse, limit: 1400 })].map(([k]) => ((k[1] ?? 0) << 8) | (k[2] ?? 0))
    expect(numbers(false)).toEqual(Array.from({ length: 1400 }, (_, i) => i))
    expect(numbers(true)).toEqual(Array.from({ length: 1400 }, (_, i) => 1499 - i))
  })

  test('a failed batch stores nothing', () => {
    const store = kept(open())
    const tooLong = new Uint8Array(3000).fill(1)
    expect(() => store.commit([put(bytes(1, 0), bytes(1)), put(tooLong, bytes(1))])).toThrow()
    expect(store.get(bytes(1, 0))).toBeUndefined()
    store.commit([put(bytes(1, 0), bytes(2))])
    expect(store.get(bytes(1, 0))).toEqual(bytes(2))
  })

  test('a read-only store sees commits after its snapshot is renewed', () => {
    const directory = freshDirectory()
    const writer = kept(open('process', directory))
    writer.commit([put(bytes(1), bytes(1))])
    const reader = kept(new LmdbStore({ directory, durability: 'process', readOnly: true }))
    expect(reader.get(bytes(1))).toEqual(bytes(1))
    writer.commit([put(bytes(1), bytes(2))])
    reader.renewSnapshot()
    expect(reader.get(bytes(1))).toEqual(bytes(2))
  })

  test('a read-only store that keeps its snapshot sees one commit until it is told to renew', async () => {
    const directory = freshDirectory()
    const writer = kept(open('process', directory))
    writer.commit([put(bytes(1), bytes(1))])
    const reader = kept(new LmdbStore({ directory, durability: 'process', readOnly: true, keepsSnapshot: true }))
    expect(reader.renewSnapshot()).toBe(false)
    const { snapshot } = reader
    for (let value = 2; value < 5; value++) {
      writer.commit([put(bytes(1), bytes(value)), put(bytes(2, value), bytes(value))])
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(reader.get(bytes(1))).toEqual(bytes(1))
      expect([...reader.range({ prefix: bytes(2) })]).toEqual([])
      expect(reader.snapshot).toBe(snapshot)
    }
    expect(reader.renewSnapshot()).toBe(true)
    expect(reader.get(bytes(1))).toEqual(bytes(4))
    expect([...reader.range({ prefix: bytes(2) })]).toHaveLength(3)
    expect(reader.snapshot).not.toBe(snapshot)
    expect(reader.renewSnapshot()).toBe(false)
  })

  test('a read-only store keeps to one snapshot within a piece of synchronous work', async () => {
    const directory = freshDirectory()
    const writer = kept(open('process', directory))
    const reader = kept(new LmdbStore({ directory, durability: 'process', readOnly: true }))
    const first = reader.snapshot
    reader.get(bytes(1))
    expect(reader.snapshot).toBe(first)
    reader.renewSnapshot()
    const renewed = reader.snapshot
    expect(renewed).not.toBe(first)
    expect(reader.snapshot).toBe(renewed)
    await new Promise((resolve) => setTimeout(resolve, 0))
    const later = reader.snapshot
    expect([first, renewed]).not.toContain(later)
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect([first, renewed, later]).not.toContain(reader.snapshot)
    expect(writer.snapshot).toBeUndefined()
  })

  test('a closed store reports that it is closed', async () => {
    const store = open()
    await store.close()
    expect(() => store.get(bytes(1))).toThrow('is closed')
    expect(() => store.commit([put(bytes(1), bytes(1))])).toThrow('is closed')
  })
})
