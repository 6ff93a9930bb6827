/**
 * One state of an LMDB database for work that takes long and must see no later commit, also beside a node that writes.
 * @module
 */
import { open, type RootDatabase, type Transaction } from 'lmdb'
import type { Entry, KeyValueReader, RangeOptions } from '../../../src/base/ports/keyValueStore.ts'
import { CHECKSUM_BYTES, hasChecksum } from '../../../src/storage/checksum.ts'
import { damagedEntry } from '../../../src/storage/damage.ts'
import { isEmptyInterval, keyInterval } from '../../../src/storage/range.ts'
import { LmdbChecksums } from './lmdbChecksums.ts'
import { DATABASE_FORM } from './lmdbStore.ts'

/** Use of the pages of a database file. */
export interface PageUsage {
  /** Number of keys. */
  readonly entries: number
  readonly pageBytes: number
  readonly usedPages: number
  /** Pages that later commits use before the file grows. */
  readonly freePages: number
}

/** The part of LMDB's statistics of a tree that is read here. */
interface TreePages {
  readonly entryCount: number
  readonly pageSize: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

interface Statistics {
  readonly root: TreePages
  readonly free: TreePages
  readonly lastPageNumber: number
}

const META_PAGES = 2

/** Keys between two reports of the progress: some milliseconds. */
const STEP_KEYS = 4096

export interface SnapshotOptions {
  /** The same database, if it is open; it remains open. */
  readonly database?: RootDatabase<Uint8Array, Uint8Array>
  /** `checked`: a read compares the checksum and throws STORE_DAMAGED. */
  readonly reads?: 'checked' | 'unchecked'
}

/**
 * Values are returned without their checksums, which {@link LmdbSnapshot.checkValues} compares, and each read if asked. While the snapshot is
 * open, pages that the node frees are not used again, so the file of a busy node grows.
 */
export class LmdbSnapshot implements KeyValueReader {
  readonly #database: RootDatabase<Uint8Array, Uint8Array>
  readonly #transaction: Transaction
  readonly #checksums: LmdbChecksums
  readonly #options: SnapshotOptions

  /** @param directory of the database, which must exist @throws {NodeError} STORE_DAMAGED */
  constructor(directory: string, options: SnapshotOptions = {}) {
    this.#options = options
    this.#database = options.database ?? openReadOnly(directory)
    // Otherwise a transaction of the same turn, which is older, would be used again.
    this.#database.resetReadTxn()
    this.#transaction = this.#database.useReadTransaction()
    this.#checksums = new LmdbChecksums(this.#database, true)
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const value = this.#database.get(key, { transaction: this.#transaction })
    return value && this.#withoutChecksum(key, Uint8Array.from(value))
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(key))
  }

  *range(options: RangeOptions): Generator<Entry, void, undefined> {
    for (const [key, value] of this.#stored(options)) {
      if (!this.#checksums.isMark(key)) yield [key, this.#withoutChecksum(key, value)]
    }
  }

  /**
   * Compares every value with its checksum.
   * @returns yields the completed part of the whole, 0 to 1
   */
  *checkValues(onDamage: (key: Uint8Array) => void): Generator<number, void> {
    const total = this.pages.entries
    let count = 0
    for (const [key, value] of this.#stored({ prefix: new Uint8Array(0) })) {
      if (this.#checksums.covers(key) && !hasChecksum(key, value, value.length)) onDamage(key)
      if (++count % STEP_KEYS === 0) yield Math.min(1, count / total)
    }
  }

  #withoutChecksum(key: Uint8Array, value: Uint8Array): Uint8Array {
    if (!this.#checksums.covers(key)) return value
    if (this.#options.reads === 'checked' && !hasChecksum(key, value, value.length)) {
      throw damagedEntry(key, 'has a value without its checksum')
    }
    return value.subarray(0, Math.max(0, value.length - CHECKSUM_BYTES))
  }

  /** Entries as they are stored. */
  *#stored(options: RangeOptions): Generator<Entry, void, undefined> {
    const interval = keyInterval(options)
    if (isEmptyInterval(interval)) return
    const { low, high, reverse, limit } = interval
    const upper = high === undefined ? {} : reverse ? { start: high } : { end: high }
    const bounds = reverse
      ? { reverse, ...upper, exclusiveStart: true, end: low, inclusiveEnd: true }
      : { start: low, ...upper }
    const most = Number.isFinite(limit) ? { limit } : {}
    for (const { key, value } of this.#database.getRange({ ...bounds, ...most, transaction: this.#transaction })) {
      yield [Uint8Array.from(key), Uint8Array.from(value)]
    }
  }

  get pages(): PageUsage {
    const { root, free, lastPageNumber } = this.#database.getStats() as Statistics
    const usedPages = META_PAGES + pagesOf(root) + pagesOf(free)
    const freePages = Math.max(0, lastPageNumber + 1 - usedPages)
    return { entries: root.entryCount, pageBytes: root.pageSize, usedPages, freePages }
  }

  async close(): Promise<void> {
    this.#transaction.done()
    if (this.#options.database === undefined) await this.#database.close()
  }
}

/** Opens snapshots of one database again and again, whose reads are checked. */
export class LmdbSnapshots {
  readonly #directory: string
  readonly #database: RootDatabase<Uint8Array, Uint8Array>

  /** @param directory of the database, which must exist */
  constructor(directory: string) {
    this.#directory = directory
    this.#database = openReadOnly(directory)
  }

  /** @throws {NodeError} STORE_DAMAGED */
  open(): LmdbSnapshot {
    return new LmdbSnapshot(this.#directory, { database: this.#database, reads: 'checked' })
  }

  async close(): Promise<void> {
    await this.#database.close()
  }
}

function openReadOnly(directory: string): RootDatabase<Uint8Array, Uint8Array> {
  return open<Uint8Array, Uint8Array>({ ...DATABASE_FORM, path: directory, readOnly: true })
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreePages): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages
}
