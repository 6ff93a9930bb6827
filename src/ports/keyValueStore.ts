/**
 * What the core asks of a store: a flat, ordered map of byte strings with atomic batches.
 * Keys are `column byte ‖ bytes` (see storage/schema.ts); order is lexicographic.
 * @module
 */

/** One write of a batch; `value: undefined` deletes the key. */
export interface Mutation {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

export interface RangeOptions {
  /** Only keys that start with this. */
  readonly prefix: Uint8Array
  /** First key (inclusive, whole key); in a reverse range the last one wanted first. Default: the end of the prefix. */
  readonly from?: Uint8Array
  /** At most this many entries. */
  readonly limit?: number
  /** Descending order. */
  readonly reverse?: boolean
}

export type Entry = readonly [key: Uint8Array, value: Uint8Array]

/**
 * A store that answers at once (memory, LMDB), or a resident part of one that does not: then a read of what is not in
 * memory throws a {@link StoreMiss}.
 * Returned byte strings are the caller's to keep but not to change.
 */
export interface KeyValueReader {
  get(key: Uint8Array): Uint8Array | undefined
  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[]
  range(options: RangeOptions): Iterable<Entry>
}

export interface KeyValueStore extends KeyValueReader {
  /** Atomic: all mutations are visible and durable together, or none. Resolved (or returned) once durable. */
  commit(batch: readonly Mutation[]): void | Promise<void>
  close(): void | Promise<void>
}

/** The same contract for stores that can only answer later (IndexedDB, Workers KV, Redis). */
export interface AsyncKeyValueStore {
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>
  range(options: RangeOptions): Promise<Entry[]>
  commit(batch: readonly Mutation[]): Promise<void>
  close(): Promise<void>
}

/** What a synchronous read could not find in memory. */
export type MissRequest =
  | { readonly kind: 'keys'; readonly keys: readonly Uint8Array[] }
  | { readonly kind: 'range'; readonly range: RangeOptions }

/**
 * Thrown by a resident store for what is not in memory; the driver at the edge fetches `request` and runs the
 * synchronous work again. Never thrown through an execution engine: its state adapter catches it and pauses.
 */
export class StoreMiss extends Error {
  override readonly name = 'StoreMiss'
  readonly request: MissRequest

  constructor(request: MissRequest) {
    super('not in memory')
    this.request = request
  }
}

/** Fetches what a {@link StoreMiss} named into memory. */
export interface Residency {
  load(request: MissRequest): Promise<void>
}
