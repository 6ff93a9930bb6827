/**
 * The on-disk store of Node, Deno and Bun: LMDB through its N-API binding.
 * @module
 */
import { statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { open, type RootDatabase, type RootDatabaseOptionsWithPath, type Transaction } from 'lmdb'
import { COMMIT_THREAD_KEYS, MAX_RANGE_CHUNK, READER_SNAPSHOT_MS } from '../../../src/base/limits/limits.ts'
import type { Entry, KeyValueStore, Mutation, RangeOptions } from '../../../src/base/ports/keyValueStore.ts'
import { compareBytes } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { appendChecksum, CHECKSUM_BYTES, hasChecksum, withChecksum } from '../../../src/storage/checksum.ts'
import { damagedEntry } from '../../../src/storage/damage.ts'
import { isEmptyInterval, type KeyInterval, keyAfter, keyInterval } from '../../../src/storage/range.ts'
import { processMemory } from '../resources.ts'
import { CommitThread, type CommitThreadOptions } from '../threads/commitThread.ts'
import { LmdbChecksums } from './lmdbChecksums.ts'
import { unpackBatch } from './packedBatch.ts'

/** `power`: a commit survives a power cut (synced); `process`: it survives any termination of the process. */
export type Durability = 'power' | 'process'

export interface LmdbStoreOptions {
  /** Directory of the database, which is created if absent. */
  readonly directory: string
  readonly durability: Durability
  /** For threads and processes that read data written by another one. */
  readonly readOnly?: boolean
  /** For a read-only store: reads see the same commit until {@link LmdbStore.renewSnapshot}. Default: until the next turn */
  readonly keepsSnapshot?: boolean
  /** Large commits, and with durability `power` all, run on a thread. Default: none do */
  readonly commitThread?: Pick<CommitThreadOptions, 'workerUrl'>
}

/** Options of the binding that all users of one database share. */
export const DATABASE_FORM = {
  noSubdir: false,
  encoding: 'binary',
  keyEncoding: 'binary',
  compression: false,
  cache: false,
  maxDbs: 1,
} as const

/** In the directory of a database. */
export const DATA_FILE = 'data.mdb'
const FIRST_RANGE_CHUNK = 16
/** When a write fails on a disk with less free space than this, the disk is reported as full. */
const FULL_DISK_BYTES = 4 * 1024 * 1024
/** Longer values are written from their own buffers. */
const SLOT_BYTES = 16 * 1024 + CHECKSUM_BYTES

const DAMAGED_VALUE = 'has a value without its checksum'

const EIO = 5
const ENOSPC = 28
const MDB_MAP_FULL = -30792

/** The binding's buffer for values: its `length` is that of the last value read, `maxLength` its actual length. */
type ValueBuffer = Uint8Array & { readonly isGlobal?: boolean; readonly maxLength?: number }

/** The types of the package lack some of its members. */
interface Database extends RootDatabase<Uint8Array, Uint8Array> {
  readonly env: { info(): { readonly lastTxnId: number } }
  getBinaryFast(key: Uint8Array, options?: { readonly transaction: Transaction }): Buffer | undefined
}

/** One commit, which all reads see. */
interface KeptSnapshot {
  readonly commit: number
  readonly transaction: Transaction
}

/** A buffer of which the binding writes the bytes from `start` to `end`. */
type ValueSlot = Uint8Array & { start: number; end: number }

/**
 * A store over LMDB. Each value is stored with a checksum, which every read compares. All returned bytes are copies. A range
 * that is being iterated over observes concurrent commits to the keys it has not yet reached.
 */
export class LmdbStore implements KeyValueStore {
  readonly #database: Database
  readonly mayLoseEntries = true
  readonly #checksums: LmdbChecksums
  readonly #directory: string
  readonly #durability: Durability
  readonly #thread: CommitThread | undefined
  readonly #renewal: ReturnType<typeof setInterval> | undefined
  /** Values are copied here: the binding takes longer to look up the address of a buffer than to write its bytes. */
  readonly #slot: ValueSlot = Object.assign(new Uint8Array(SLOT_BYTES), { start: 0, end: 0 })
  #valueBuffer: ValueBuffer | undefined
  /** The entire value buffer, with its actual length. */
  #valueBytes: Uint8Array = new Uint8Array(0)
  /** undefined for a store that may write. */
  #snapshot: number | undefined
  #endsSnapshot = false
  /** undefined: the binding chooses the commit of each turn */
  #kept: KeptSnapshot | undefined
  #closed = false

  /** @throws {NodeError} DISK_FULL; STORE_FAILED when the database cannot be opened; STORE_DAMAGED */
  constructor({ directory, durability, readOnly = false, keepsSnapshot = false, commitThread }: LmdbStoreOptions) {
    this.#directory = directory
    this.#durability = durability
    if (commitThread !== undefined) {
      const commitHere = (batch: readonly Mutation[]): void => this.#commitHere(batch)
      this.#thread = new CommitThread({ ...commitThread, directory, durability, commitHere })
    }
    try {
      // The types of the package lack `noReadAhead`.
      const options: RootDatabaseOptionsWithPath & { readonly noReadAhead: boolean } = {
        ...DATABASE_FORM,
        path: directory,
        overlappingSync: false,
        noSync: durability === 'process',
        noReadAhead: isLarge(directory),
        readOnly,
      }
      this.#database = open<Uint8Array, Uint8Array>(options) as Database
      this.#checksums = checksumsOf(this.#database, readOnly)
    } catch (error) {
      throw storeError(error, directory)
    }
    if (!readOnly) return
    this.#snapshot = 0
    if (keepsSnapshot) this.#kept = this.#keepSnapshot()
    this.#renewal = setInterval(() => this.renewSnapshot(), READER_SNAPSHOT_MS)
    ;(this.#renewal as { unref?: () => void }).unref?.()
  }

  /**
   * Makes everything committed so far visible to subsequent reads. A read-only store does so on its own every few
   * seconds between tasks; its thread calls this before each task.
   * @returns whether subsequent reads may differ
   */
  renewSnapshot(): boolean {
    if (this.#closed || this.#kept?.commit === this.#lastCommit) return false
    if (this.#snapshot !== undefined) this.#snapshot++
    if (this.#kept === undefined) this.#database.resetReadTxn()
    else {
      this.#kept.transaction.done()
      this.#kept = this.#keepSnapshot()
    }
    return true
  }

  /** Number of the newest commit of all processes. */
  get #lastCommit(): number {
    return this.#database.env.info().lastTxnId
  }

  #keepSnapshot(): KeptSnapshot {
    for (;;) {
      const commit = this.#lastCommit
      this.#database.resetReadTxn()
      const transaction = this.#database.useReadTransaction()
      if (this.#lastCommit === commit) return { commit, transaction }
      transaction.done()
    }
  }

  /** The binding may renew its snapshot in each turn of the event loop, which begins after all microtasks. */
  get snapshot(): number | undefined {
    if (this.#snapshot !== undefined && this.#kept === undefined && !this.#endsSnapshot) {
      this.#endsSnapshot = true
      queueMicrotask(() => {
        this.#endsSnapshot = false
        if (this.#snapshot !== undefined) this.#snapshot++
      })
    }
    return this.#snapshot
  }

  /** Whether all values have their checksums. */
  get hasChecksums(): boolean {
    return this.#checksums.isComplete
  }

  /** @throws {NodeError} DISK_FULL, STORE_FAILED */
  addChecksums(): number {
    this.#opened()
    try {
      return this.#checksums.extend()
    } catch (error) {
      throw storeError(error, this.#directory)
    }
  }

  /** @throws {NodeError} STORE_DAMAGED */
  get(key: Uint8Array): Uint8Array | undefined {
    const database = this.#opened()
    const isChecked = this.#checksums.covers(key)
    const value = database.getBinaryFast(key, this.#kept) as ValueBuffer | undefined
    return value === undefined ? undefined : this.#copy(key, value, isChecked)
  }

  /**
   * A search for a damaged key, or past one, ends beside it: there the order of the keys is wrong, or a key does not fit its
   * checksum.
   */
  requireAbsent(key: Uint8Array): void {
    for (const reverse of [false, true]) {
      for (const next of this.#opened().getRange({ start: key, reverse, limit: 1, ...this.#kept })) {
        const order = compareBytes(next.key, key)
        if (reverse ? order >= 0 : order <= 0) throw damagedEntry(key, 'is not in its place')
        this.#checked(next.key, next.value)
      }
    }
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(key))
  }

  /** Reads ahead in chunks, so that no cursor or snapshot stays open between two entries. */
  *range(options: RangeOptions): Generator<Entry, void, undefined> {
    let interval = keyInterval(options)
    // Such a range may contain the mark of the checksums.
    if (options.prefix.length === 0) interval = { ...interval, limit: interval.limit + 1 }
    let left = options.limit ?? Number.POSITIVE_INFINITY
    if (left <= 0) return
    for (let size = FIRST_RANGE_CHUNK; !isEmptyInterval(interval); size = Math.min(2 * size, MAX_RANGE_CHUNK)) {
      const limit = Math.min(size, interval.limit)
      const chunk = this.#readRange(interval, limit)
      for (const [key, value] of chunk) {
        if (this.#checksums.isMark(key)) continue
        yield [key, this.#checked(key, value)]
        if (--left <= 0) return
      }
      const last = chunk[limit - 1]
      if (last === undefined) return
      interval = after(interval, last[0], limit)
    }
  }

  /** @throws {NodeError} DISK_FULL, STORE_FAILED, also as a rejection; nothing of the batch is stored then */
  commit(batch: readonly Mutation[]): void | Promise<void> {
    if (batch.length === 0) return
    this.#opened()
    checkKeys(batch)
    if (this.#thread !== undefined && this.#suitsThread(batch, this.#thread))
      return this.#commitThere(batch, this.#thread)
    this.#commitHere(batch)
  }

  /** Batches keep their order: none passes those of the thread. A small one does not wait until the thread has started. */
  #suitsThread(batch: readonly Mutation[], thread: CommitThread): boolean {
    if (thread.isBusy || batch.length >= COMMIT_THREAD_KEYS) return true
    if (this.#durability === 'process') return false
    if (!thread.isReady) thread.start()
    return thread.isReady
  }

  async #commitThere(batch: readonly Mutation[], thread: CommitThread): Promise<void> {
    await thread.commit(batch)
    // The binding does not know of commits of other threads.
    if (!this.#closed) this.#database.resetReadTxn()
  }

  #commitHere(batch: readonly Mutation[]): void {
    const ordered = inKeyOrder(batch)
    this.#transaction((database) => {
      for (const { key, value } of ordered) {
        if (value === undefined) database.remove(key)
        else database.put(key, this.#toStore(key, value))
      }
    })
  }

  /**
   * Commits a batch of another thread (packedBatch.ts).
   * @throws {NodeError} DISK_FULL, STORE_FAILED; nothing of the batch is stored then
   */
  commitPacked(packed: Uint8Array): void {
    const ordered = inKeyOrder(unpackBatch(packed))
    const values: ValueSlot = Object.assign(packed, { start: 0, end: 0 })
    this.#transaction((database) => {
      for (const { key, start, end } of ordered) {
        if (end === undefined) {
          database.remove(key)
          continue
        }
        values.start = start
        values.end = end
        if (this.#checksums.covers(key)) {
          values.end += CHECKSUM_BYTES
          appendChecksum(key, packed.subarray(start, values.end), end - start)
        }
        database.put(key, values)
      }
    })
  }

  #transaction(write: (database: RootDatabase<Uint8Array, Uint8Array>) => void): void {
    const database = this.#opened()
    try {
      database.transactionSync(() => {
        write(database)
        this.#checksums.begin()
      })
      this.#checksums.begun()
    } catch (error) {
      throw storeError(error, this.#directory)
    }
  }

  /**
   * Writes what is committed at the moment into a new database, without its free pages. Commits go on, also those of
   * other processes.
   * @param directory must exist, without a database
   * @throws {NodeError} DISK_FULL, STORE_FAILED
   */
  async copyTo(directory: string): Promise<void> {
    try {
      await this.#opened().backup(directory, true)
    } catch (error) {
      throw storeError(error, directory)
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#renewal)
    this.#kept?.transaction.done()
    await this.#thread?.close()
    await this.#database.close()
  }

  #opened(): Database {
    if (this.#closed) throw new NodeError({ code: 'STORE_CLOSED' }, `the database in ${this.#directory} is closed`)
    return this.#database
  }

  /** The value with its checksum. */
  #toStore(key: Uint8Array, value: Uint8Array): Uint8Array {
    if (!this.#checksums.covers(key)) return value
    const { length } = value
    if (length + CHECKSUM_BYTES > SLOT_BYTES) return withChecksum(key, value)
    const slot = this.#slot
    slot.set(value)
    appendChecksum(key, slot, length)
    slot.end = length + CHECKSUM_BYTES
    return slot
  }

  #copy(key: Uint8Array, value: ValueBuffer, isChecked: boolean): Uint8Array {
    const { length, maxLength } = value
    if (maxLength !== undefined && value !== this.#valueBuffer) {
      this.#valueBuffer = value
      this.#valueBytes = new Uint8Array(value.buffer, value.byteOffset, maxLength)
    }
    const bytes = maxLength === undefined ? Uint8Array.from(value) : this.#valueBytes
    if (!isChecked) return bytes.slice(0, length)
    if (!hasChecksum(key, bytes, length)) throw damagedEntry(key, DAMAGED_VALUE)
    return bytes.slice(0, length - CHECKSUM_BYTES)
  }

  /** The value without its checksum. */
  #checked(key: Uint8Array, bytes: Uint8Array): Uint8Array {
    if (!this.#checksums.covers(key)) return bytes
    if (!hasChecksum(key, bytes, bytes.length)) throw damagedEntry(key, DAMAGED_VALUE)
    return bytes.slice(0, bytes.length - CHECKSUM_BYTES)
  }

  #readRange({ low, high, reverse }: KeyInterval, limit: number): Entry[] {
    const upper = high === undefined ? {} : reverse ? { start: high } : { end: high }
    const bounds = reverse
      ? { reverse, ...upper, exclusiveStart: true, end: low, inclusiveEnd: true }
      : { start: low, ...upper }
    const entries: Entry[] = []
    for (const { key, value } of this.#opened().getRange({ ...bounds, limit, ...this.#kept })) {
      entries.push([Uint8Array.from(key), Uint8Array.from(value)])
    }
    return entries
  }
}

/** Closes the database if they are damaged. */
function checksumsOf(database: RootDatabase<Uint8Array, Uint8Array>, readOnly: boolean): LmdbChecksums {
  try {
    return new LmdbChecksums(database, readOnly)
  } catch (error) {
    void database.close()
    throw error
  }
}

/**
 * Whether the database exceeds half of the memory. Reading ahead would then fill the memory with pages that nobody asked for:
 * keys are random.
 */
function isLarge(directory: string): boolean {
  const file = statSync(path.join(directory, DATA_FILE), { throwIfNoEntry: false })
  if (file === undefined) return false
  return file.size > processMemory() / 2
}

/** The rest of an interval after `taken` entries up to `key` have been returned. */
function after(interval: KeyInterval, key: Uint8Array, entryCount: number): KeyInterval {
  const limit = interval.limit - entryCount
  return interval.reverse ? { ...interval, high: key, limit } : { ...interval, low: keyAfter(key), limit }
}

/** @throws {RangeError} */
function checkKeys(batch: readonly Mutation[]): void {
  for (const { key } of batch) if (key.length === 0) throw new RangeError('a key needs a column byte')
}

/** Sorts by key, because LMDB is fastest in key order. Several writes of one key keep their order. */
function inKeyOrder<Write extends { readonly key: Uint8Array }>(batch: readonly Write[]): readonly Write[] {
  for (let i = 1; i < batch.length; i++) {
    if (compareBytes((batch[i - 1] as Write).key, (batch[i] as Write).key) > 0) {
      return [...batch].sort((a, b) => compareBytes(a.key, b.key))
    }
  }
  return batch
}

/** LMDB reports a full disk as an I/O error; the free space distinguishes the two. */
export function storeError(error: unknown, directory: string): NodeError {
  if (error instanceof NodeError) return error
  const code = (error as { code?: unknown }).code
  const isFull =
    code === ENOSPC || code === 'ENOSPC' || code === MDB_MAP_FULL || (code === EIO && isDiskFull(directory))
  if (isFull)
    return new NodeError({ code: 'DISK_FULL', directory }, `no space left for the database in ${directory}`, {
      cause: error,
    })
  const reason = error instanceof Error ? error.message : String(error)
  return new NodeError({ code: 'STORE_FAILED', directory }, `the database in ${directory} failed: ${reason}`, {
    cause: error,
  })
}

function isDiskFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize < FULL_DISK_BYTES
  } catch {
    return true
  }
}
