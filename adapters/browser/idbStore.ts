/**
 * The browser's store: one IndexedDB object store with byte keys.
 * @module
 */
import { promisifyRequest, type UseStore } from 'idb-keyval'
import type { CommitDurability } from '../../src/base/ports/databaseInfo.ts'
import type { AsyncKeyValueStore, Entry, Mutation, RangeOptions } from '../../src/base/ports/keyValueStore.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import { isEmptyInterval, type KeyInterval, keyInterval } from '../../src/storage/range.ts'
import { idbDatabase } from './idbDatabase.ts'
import { applyMutations, ownBytes, readAll, writeEntries } from './idbEntries.ts'

export interface IdbStoreOptions {
  /** Default: `'process'`. */
  readonly durability?: CommitDurability
  /** Called when the first batch is stored. */
  readonly onFirstCommit?: () => void
}

/** Each batch is one transaction, and so is each read of several keys. */
export class IdbStore implements AsyncKeyValueStore {
  readonly #use: UseStore
  #onFirstCommit: (() => void) | undefined

  /** @param databaseName name of the IndexedDB database, which is created if absent */
  constructor(databaseName: string, { durability = 'process', onFirstCommit }: IdbStoreOptions = {}) {
    this.#use = idbDatabase(databaseName, durability)
    this.#onFirstCommit = onFirstCommit
  }

  /** @throws {NodeError} STORE_FAILED where the browser refuses databases, such as in a sandboxed frame */
  async open(): Promise<void> {
    try {
      await this.getMany([])
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const message = `IndexedDB cannot be opened (${reason}); storage: 'memory' needs none`
      throw new NodeError({ code: 'STORE_FAILED' }, message, { cause })
    }
  }

  async isEmpty(): Promise<boolean> {
    const keys = await this.#use('readonly', (entries) => promisifyRequest(entries.getAllKeys(undefined, 1)))
    return keys.length === 0
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return this.#use('readonly', (entries) => readAll(entries, keys))
  }

  async range(options: RangeOptions): Promise<Entry[]> {
    const interval = keyInterval(options)
    if (isEmptyInterval(interval)) return []
    return this.#use('readonly', (entries) =>
      interval.reverse ? readDescending(entries, interval) : readAscending(entries, interval),
    )
  }

  /** @throws {NodeError} DISK_FULL when the origin's quota is exhausted; nothing of the batch is stored then */
  async commit(batch: readonly Mutation[]): Promise<void> {
    for (const { key } of batch) if (key.length === 0) throw new RangeError('a key needs a column byte')
    await writeEntries(this.#use, (entries) => applyMutations(entries, batch), sizeOf(batch))
    this.#onFirstCommit?.()
    this.#onFirstCommit = undefined
  }

  async close(): Promise<void> {
    await this.#use('readonly', (entries) => entries.transaction.db.close())
  }
}

function sizeOf(batch: readonly Mutation[]): number {
  return batch.reduce((sum, { key, value }) => (value === undefined ? sum : sum + key.length + value.length), 0)
}

async function readAscending(entries: IDBObjectStore, interval: KeyInterval): Promise<Entry[]> {
  const range = keyRange(interval)
  const count = Number.isFinite(interval.limit) ? interval.limit : undefined
  const [keys, values] = await Promise.all([
    promisifyRequest<IDBValidKey[]>(entries.getAllKeys(range, count)),
    promisifyRequest<Uint8Array[]>(entries.getAll(range, count)),
  ])
  return keys.map((key, i): Entry => [keyBytes(key), values[i] as Uint8Array])
}

function readDescending(entries: IDBObjectStore, interval: KeyInterval): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const pageEntries: Entry[] = []
    const request = entries.openCursor(keyRange(interval), 'prev')
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const cursor = request.result
      if (cursor === null) return resolve(pageEntries)
      pageEntries.push([keyBytes(cursor.key), cursor.value as Uint8Array])
      if (pageEntries.length >= interval.limit) return resolve(pageEntries)
      cursor.continue()
    }
  })
}

function keyRange({ low, high }: KeyInterval): IDBKeyRange {
  return high === undefined
    ? IDBKeyRange.lowerBound(ownBytes(low))
    : IDBKeyRange.bound(ownBytes(low), ownBytes(high), false, true)
}

function keyBytes(key: IDBValidKey): Uint8Array {
  return new Uint8Array(key as ArrayBuffer)
}
