import type { Mutation } from './keyValueStore.ts'

/** Where a cache keeps its entries. Several processes, or tabs, may use one store at the same time. */
export interface CacheStore {
  /** Values in the order of the keys. A damaged value counts as missing. */
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>
  /**
   * One atomic step: reads the value of `key`, then writes what `change` returns for it. Nothing is written if it fails.
   * @throws {NodeError} DISK_FULL, STORE_FAILED
   */
  update(key: Uint8Array, change: (value: Uint8Array | undefined) => readonly Mutation[]): Promise<void>
  /**
   * Deletes the first keys of the store that are below `end`, at most `limit`.
   * @throws {NodeError} DISK_FULL, STORE_FAILED
   */
  deleteBelow(end: Uint8Array, limit: number): Promise<void>
  /** Bytes that an entry occupies, with its share of the pages of the store (estimate). */
  sizeOf(keyLength: number, valueLength: number): number
  close(): Promise<void>
}
