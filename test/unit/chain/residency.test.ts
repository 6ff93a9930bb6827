import { describe, expect, it } from 'vitest'
import {
  type KeyValueStore,
  type MissRequest,
  type Mutation,
  type RangeOptions,
  type Residency,
  StoreMiss,
} from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { keyToText } from '../../../src/storage/keyText.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { blockFile, importFile, openRecorded, recordedChainNamed } from '../../support/recorded/recordedChains.ts'

/** A store without anything in memory: data must be loaded before every read, and are evicted at every commit. */
class ForgetfulStore implements KeyValueStore, Residency {
  misses = 0
  readonly #inner: MemoryStore
  readonly #resident = new Set<string>()

  constructor(inner: MemoryStore) {
    this.#inner = inner
  }
  get(key: Uint8Array) {
    return this.getMany([key])[0]
  }
  getMany(keys: readonly Uint8Array[]) {
    const missing = keys.filter((key) => !this.#resident.has(keyToText(key)))
    if (missing.length > 0) throw new StoreMiss({ kind: 'keys', keys: missing })
    return this.#inner.getMany(keys)
  }
  range(options: RangeOptions) {
    return this.#inner.range(options)
  }
  async load(request: MissRequest) {
    this.misses++
    if (request.kind === 'keys') for (const key of request.keys) this.#resident.add(keyToText(key))
  }
  async commit(batch: readonly Mutation[]) {
    this.#inner.commit(batch)
    this.#resident.clear()
  }
  close() {}
}

const recorded = recordedChainNamed('besu/london')

describe('a chain over a store that is not in memory', () => {
  it('imports, moves back and forward, and is reopened', async () => {
    const inner = new MemoryStore()
    const kv = new ForgetfulStore(inner)
    const first = await openRecorded(recorded, { kv, residency: kv })
    const report = await importFile(first, [blockFile(recorded)], { verifySeal: false }, kv)
    expect(report.end).toEqual({ kind: 'done' })
    expect(report).toMatchObject({ imported: 5, skipped: 1, bytesRead: blockFile(recorded).length })
    const { head } = first
    const again = await openRecorded(recorded, { kv, residency: kv })
    expect(bytesToHex(again.head.hash)).toBe(recorded.head)
    await again.setHead(again.genesis.hash)
    expect(again.head).toBe(again.genesis)
    await again.setHead(head.hash)
    expect(kv.misses).toBeGreaterThan(10)
    checkInvariants(await openRecorded(recorded, { kv: inner }))
  })
})
