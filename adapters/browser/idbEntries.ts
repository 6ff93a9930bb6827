/**
 * Entries of an IndexedDB object store with byte keys.
 * @module
 */
import { promisifyRequest, type UseStore } from 'idb-keyval'
import type { Mutation } from '../../src/base/ports/keyValueStore.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import { measureSpace } from './storageSpace.ts'

export const OBJECT_STORE = 'entries'

/** Values in the order of the keys. */
export function readAll(entries: IDBObjectStore, keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
  return Promise.all(keys.map((key) => promisifyRequest<Uint8Array | undefined>(entries.get(ownBytes(key)))))
}

/**
 * One transaction. It is aborted when `work` fails; otherwise, the requests before the error would be committed.
 * @param neededBytes of the keys and values, for the message of an error
 * @throws {NodeError} DISK_FULL when the origin's quota is exhausted; nothing is stored then
 */
export async function writeEntries(
  use: UseStore,
  work: (entries: IDBObjectStore) => void | Promise<void>,
  neededBytes?: number,
): Promise<void> {
  try {
    await use('readwrite', async (entries) => {
      try {
        await work(entries)
        // Otherwise the browser waits until the page has seen the answer to each request.
        entries.transaction.commit()
      } catch (error) {
        abort(entries.transaction)
        throw error
      }
      return promisifyRequest(entries.transaction)
    })
  } catch (error) {
    if ((error as { name?: string } | null)?.name !== 'QuotaExceededError') throw error
    throw await diskFull(error, neededBytes)
  }
}

/** The text is also the data of the error of JSON-RPC. Chromium tells a larger quota than it grants. */
async function diskFull(cause: unknown, neededBytes: number | undefined): Promise<NodeError> {
  const { available } = await measureSpace()
  const isTrue = available !== undefined && neededBytes !== undefined && available < neededBytes
  const needed =
    neededBytes === undefined ? '' : `: ${neededBytes} bytes are needed${isTrue ? `, ${available} left` : ''}`
  const message = `no space left for the database in this browser${needed}`
  return new NodeError({ code: 'DISK_FULL', data: message }, message, { cause })
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
