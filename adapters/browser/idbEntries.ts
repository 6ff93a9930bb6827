/**
 * Entries of an IndexedDB object store with byte keys.
 * @module
 */
import { promisifyRequest, type UseStore } from 'idb-keyval'
import type { Mutation } from '../../src/base/ports/keyValueStore.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'

export const OBJECT_STORE = 'entries'

/** Values in the order of the keys. */
export function readAll(entries: IDBObjectStore, keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
  return Promise.all(keys.map((key) => promisifyRequest<Uint8Array | undefined>(entries.get(ownBytes(key)))))
}

/**
 * One transaction. It is aborted when `work` fails; otherwise, the requests before the error would be committed.
 * @throws {NodeError} DISK_FULL when the origin's quota is exhausted; nothing is stored then
 */
export async function writeEntries(
  use: UseStore,
  work: (entries: IDBObjectStore) => void | Promise<void>,
): Promise<void> {
  try {
    await use('readwrite', async (entries) => {
      try {
        await work(entries)
      } catch (error) {
        abort(entries.transaction)
        throw error
      }
      return promisifyRequest(entries.transaction)
    })
  } catch (error) {
    if ((error as { name?: string } | null)?.name !== 'QuotaExceededError') throw error
    throw new NodeError({ code: 'DISK_FULL' }, 'no space left for the database in this browser', { cause: error })
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch {
    // A failed request has done so.
  }
}

export function applyMutations(entries: IDBObjectStore, batch: readonly Mutation[]): void {
  for (const { key, value } of batch) {
    if (value === undefined) entries.delete(ownBytes(key))
    else entries.put(ownBytes(value), ownBytes(key))
  }
}

/** IndexedDB would clone the whole buffer of a view. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
  return isWhole ? (bytes as Uint8Array<ArrayBuffer>) : bytes.slice()
}
