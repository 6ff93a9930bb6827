/**
 * A store over any driver of `unstorage` (Redis, Workers KV, R2, S3, SQL …), for mirrors and replicas.
 * @module
 */
import type { Storage } from 'unstorage'
import { UNSTORAGE_PARALLEL_REQUESTS } from '../../src/base/limits/limits.ts'
import type { AsyncKeyValueStore, Entry, Mutation, RangeOptions } from '../../src/base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed, compareBytes, hexToBytes } from '../../src/base/primitives/bytes.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import { isEmptyInterval, type KeyInterval, keyInterval } from '../../src/storage/range.ts'
import { Column } from '../../src/storage/schema.ts'

/**
 * Keys are the column byte and the rest in hex, `20:x00ff…`, so that a column can be listed separately; a range read
 * lists its column. There are no transactions: a batch first writes its values, then the meta column, which refers to
 * them, and finally deletes. If it is interrupted, pointers therefore never refer to missing data.
 */
export class UnstorageStore implements AsyncKeyValueStore {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return inParallel(keys, (key) => this.#read(key))
  }

  async range(options: RangeOptions): Promise<Entry[]> {
    const interval = keyInterval(options)
    if (isEmptyInterval(interval)) return []
    const keys = (await this.#list(options.prefix)).filter((key) => isWithin(interval, key)).sort(compareBytes)
    if (interval.reverse) keys.reverse()
    const pageKeys = keys.slice(0, interval.limit)
    const values = await this.getMany(pageKeys)
    return pageKeys.flatMap((key, i): Entry[] => {
      const value = values[i]
      return value === undefined ? [] : [[key, value]]
    })
  }

  async commit(batch: readonly Mutation[]): Promise<void> {
    const mutations = [...new Map(batch.map((mutation) => [storageKey(mutation.key), mutation])).values()]
    const isMeta = ({ key }: Mutation) => key[0] === Column.meta
    const data = mutations.filter((mutation) => !isMeta(mutation))
    await inParallel(data, async (mutation) => mutation.value !== undefined && this.#write(mutation))
    for (const mutation of mutations.filter(isMeta)) await this.#write(mutation)
    await inParallel(data, async (mutation) => mutation.value === undefined && this.#write(mutation))
  }

  async close(): Promise<void> {
    await this.#storage.dispose()
  }

  async #read(key: Uint8Array): Promise<Uint8Array | undefined> {
    const name = storageKey(key)
    const value: unknown = await this.#storage.getItemRaw(name)
    if (value === null || value === undefined) return undefined
    if (value instanceof ArrayBuffer) return new Uint8Array(value)
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
    throw new NodeError({ code: 'STORE_DAMAGED', key: name }, `the storage has a value at ${name} that is not bytes`)
  }

  async #write({ key, value }: Mutation): Promise<void> {
    if (value === undefined) await this.#storage.removeItem(storageKey(key))
    else await this.#storage.setItemRaw(storageKey(key), value.slice())
  }

  async #list(prefix: Uint8Array): Promise<Uint8Array[]> {
    const base = prefix.length === 0 ? undefined : bytesToHexUnprefixed(prefix.subarray(0, 1))
    const names = await this.#storage.getKeys(base)
    return names.map(keyOf).filter((key) => key !== undefined)
  }
}

function storageKey(key: Uint8Array): string {
  if (key.length === 0) throw new RangeError('a key needs a column byte')
  return `${bytesToHexUnprefixed(key.subarray(0, 1))}:x${bytesToHexUnprefixed(key.subarray(1))}`
}

/** @returns undefined for a foreign key */
function keyOf(name: string): Uint8Array | undefined {
  const match = /^([0-9a-f]{2}):x((?:[0-9a-f]{2})*)$/.exec(name)
  return match === null ? undefined : hexToBytes(`${match[1]}${match[2]}`)
}

function isWithin({ low, high }: KeyInterval, key: Uint8Array): boolean {
  return compareBytes(key, low) >= 0 && (high === undefined || compareBytes(key, high) < 0)
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += UNSTORAGE_PARALLEL_REQUESTS) {
    results.push(...(await Promise.all(items.slice(at, at + UNSTORAGE_PARALLEL_REQUESTS).map(work))))
  }
  return results
}
