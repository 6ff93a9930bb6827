/**
 * The store interface of the core: a flat, ordered map of byte strings with atomic batches. Keys are `column byte ‖
 * bytes` (see storage/schema.ts); order is lexicographic.
 * @module
 */
import type { Clock } from './host.ts'

/** One write of a batch; `value: undefined` deletes the key. */
export interface Mutation {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
  /** Hash of the key (storage/keyHash.ts), if it is known. */
  readonly hash?: number
}

export interface RangeOptions {
  /** Only keys with this prefix. */
  readonly prefix: Uint8Array
  /**
   * First key (inclusive, whole key); in a reverse range the last key, which is returned first. Default: the end of the
   * prefix.
   */
  readonly from?: Uint8Array
  /** Maximum number of entries. */
  readonly limit?: number
  /** Descending order. */
  readonly reverse?: boolean
}

export type Entry = readonly [key: Uint8Array, value: Uint8Array]

/**
 * A synchronous store (memory, LMDB), or the resident part of an asynchronous one, which throws a {@link StoreMiss} for
 * data that are not in memory. The caller may keep returned byte strings but must not change them.
 */
export interface KeyValueReader {
  /**
   * Only of a store that another thread writes: while this number is the same, so is what the store holds. It is the same
   * throughout a piece of synchronous work.
   */
  readonly snapshot?: number | undefined
  /** Of a store on a disk, which may lose entries. The trie then confirms that the flat view has no entry. */
  readonly mayLoseEntries?: boolean | undefined
  get(key: Uint8Array): Uint8Array | undefined
  /**
   * Looks closer at a key that was not found, where a reader would take a lost entry for one that never existed. It takes much
   * longer than `get`.
   * @throws {NodeError} STORE_DAMAGED when the key may be there, but damaged
   */
  requireAbsent?(key: Uint8Array): void
  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[]
  range(options: RangeOptions): Iterable<Entry>
}

export interface KeyValueStore extends KeyValueReader {
  /** Only of a store that keeps a checksum with each value: false for an older one, some of whose values lack it. */
  readonly hasChecksums?: boolean
  /**
   * Stores the checksums of the next values, in one batch.
   * @returns the completed part of the whole, 0 to 1
   */
  addChecksums?(): number
  /**
   * Atomic: all mutations become visible and durable together, or none. Resolves (or returns) once they are durable.
   */
  commit(batch: readonly Mutation[]): void | Promise<void>
  close(): void | Promise<void>
}

/** The same contract for asynchronous stores (IndexedDB, Workers KV, Redis). */
export interface AsyncKeyValueStore {
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>
  range(options: RangeOptions): Promise<Entry[]>
  commit(batch: readonly Mutation[]): Promise<void>
  close(): Promise<void>
}

/** Data that a synchronous read did not find in memory. */
export type MissRequest =
  | { readonly kind: 'keys'; readonly keys: readonly Uint8Array[] }
  | { readonly kind: 'range'; readonly range: RangeOptions }
  /** State of another chain, at one of its blocks: the part of a fork's state that did not change locally. */
  | { readonly kind: 'state'; readonly block: RemoteBlock; readonly reads: readonly StateRead[] }

/** A block of another chain whose state is read. */
export interface RemoteBlock {
  readonly number: number
  /** 32 bytes */
  readonly hash: Uint8Array
  /** 32 bytes, as in the header */
  readonly stateRoot: Uint8Array
}

/** An account with its code, or with `slot` one slot of its storage. */
export interface StateRead {
  /** 20 bytes */
  readonly address: Uint8Array
  /** 32 bytes */
  readonly slot?: Uint8Array
}

/**
 * Thrown by a resident store for data that are not in memory; the driver at the edge fetches `request` and repeats the
 * synchronous work. Never thrown through an EVM: its state adapter catches it and pauses.
 */
export class StoreMiss extends Error {
  override readonly name = 'StoreMiss'
  readonly request: MissRequest

  constructor(request: MissRequest) {
    super('not in memory')
    this.request = request
  }
}

/** The message whose execution needs data. From it, a store may learn what else will be needed. */
export interface MissCause {
  /** 20 bytes */
  readonly sender: Uint8Array
  /** 20 bytes; undefined creates a contract from `data` */
  readonly to: Uint8Array | undefined
  /** wei */
  readonly value: bigint
  readonly data: Uint8Array
  /** Of the block, 20 bytes: it receives the fee. */
  readonly beneficiary: Uint8Array
}

/** Loads the data that a {@link StoreMiss} names into memory. */
export interface Residency {
  /** @param cause the message that needs them, if there is one */
  load(request: MissRequest, cause?: MissCause): Promise<void>
  /** Milliseconds for which one call has waited; they do not count as time of its execution. Only after `forCall`. */
  readonly waitedMs?: number
  /** Loads for one call, whose waits are counted and bounded. Only sources on other machines have it. */
  forCall?(clock: Pick<Clock, 'monotonic'>): Residency
}
