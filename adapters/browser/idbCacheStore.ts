/**
 * A cache in an IndexedDB database that several tabs use at the same time.
 * @module
 */
import { createStore, promisifyRequest, type UseStore } from 'idb-keyval'
import type { CacheStore } from '../../src/base/ports/cacheStore.ts'
import type { Mutation } from '../../src/base/ports/keyValueStore.ts'
import { applyMutations, OBJECT_STORE, ownBytes, readAll, writeEntries } from './idbEntries.ts'

/** Bytes that a browser stores beside key and value (estimate). */
const ENTRY_BYTES = 60

export class IdbCacheStore implements CacheStore {
  readonly #use: UseStore

  /** @param databaseName name of the IndexedDB database, which is created if absent */
  constructor(databaseName: string) {
    this.#use = createStore(databaseName, OBJECT_STORE)
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return this.#use('readonly', (entries) => readAll(entries, keys))
  }

  update(key: Uint8Array, change: (value: Uint8Array | undefined) => readonly Mutation[]): Promise<void> {
    return writeEntries(this.#use, async (entries) => {
      const [value] = await readAll(entries, [key])
      applyMutations(entries, change(value))
    })
  }

  deleteBelow(end: Uint8Array, limit: number): Promise<void> {
    const below = IDBKeyRange.upperBound(ownBytes(end), true)
    return writeEntries(this.#use, async (entries) => {
      for (const key of await promisifyRequest(entries.getAllKeys(below, limit))) entries.delete(key)
    })
  }

  sizeOf(keyLength: number, valueLength: number): number {
    return ENTRY_BYTES + keyLength + valueLength
  }

  async close(): Promise<void> {
    await this.#use('readonly', (entries) => entries.transaction.db.close())
  }
}
