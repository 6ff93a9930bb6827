/**
 * A cache in an LMDB database that several processes use at the same time.
 * @module
 */
import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs'
import path from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import type { CacheStore } from '../../../src/base/ports/cacheStore.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { equalBytes } from '../../../src/base/primitives/bytes.ts'
import { CHECKSUM_BYTES, hasChecksum, withChecksum } from '../../../src/storage/checksum.ts'
import { CrashMark, takeCrashMarks } from './crashMark.ts'
import { createFolder } from './createFolder.ts'
import { damageOf } from './lmdbCheck.ts'
import { DATA_FILE, DATABASE_FORM, storeError } from './lmdbStore.ts'

const PAGE_BYTES = 4096
/** Head of an entry and its place in the page. */
const NODE_BYTES = 10
/** Pages of keys that arrive in no order are filled to two thirds. */
const FILL = 0.67
/** From this size, a value has its own pages. */
const OVERFLOW_BYTES = PAGE_BYTES / 2 - 64
/** The two meta pages of any page size. */
const META_BYTES = 2 * 65_536
const CHECK_ATTEMPTS = 5
/** Pages that each start checks: some milliseconds. */
const CHECKED_PAGES = 1024
/** LMDB's codes for damaged pages: MDB_PAGE_NOTFOUND and MDB_CORRUPTED. */
const DAMAGE_CODES: readonly unknown[] = [-30797, -30796]

/** Commits survive the end of the process, not a power cut: then the cache may have to begin again. */
export class LmdbCacheStore implements CacheStore {
  readonly #database: RootDatabase<Uint8Array, Uint8Array>
  readonly #folder: string
  readonly #mark: CrashMark

  /**
   * Opens or creates the database. A damaged one is replaced by a new one.
   * @param folder absolute
   * @throws {NodeError} STORE_FAILED, DISK_FULL
   */
  constructor(folder: string) {
    this.#folder = folder
    try {
      createFolder(folder, 0o700)
      const checkedPages = takeCrashMarks(folder) ? Number.POSITIVE_INFINITY : CHECKED_PAGES
      if (isDamaged(path.join(folder, DATA_FILE), checkedPages)) discard(folder)
      this.#database = open<Uint8Array, Uint8Array>({
        ...DATABASE_FORM,
        path: folder,
        overlappingSync: false,
        noSync: true,
      })
      this.#mark = new CrashMark(folder)
    } catch (error) {
      throw storeError(error, folder)
    }
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return this.#attempt(() => keys.map((key) => this.#get(key)))
  }

  async update(key: Uint8Array, change: (value: Uint8Array | undefined) => readonly Mutation[]): Promise<void> {
    this.#transaction(() => {
      for (const mutation of change(this.#get(key))) {
        if (mutation.value === undefined) this.#database.remove(mutation.key)
        else this.#database.put(mutation.key, withChecksum(mutation.key, mutation.value))
      }
    })
  }

  async deleteBelow(end: Uint8Array, limit: number): Promise<void> {
    const keys = this.#attempt(() => [...this.#database.getKeys({ end, limit })].map((key) => Uint8Array.from(key)))
    if (keys.length === 0) return
    this.#transaction(() => {
      for (const key of keys) this.#database.remove(key)
    })
  }

  sizeOf(keyLength: number, valueLength: number): number {
    const stored = valueLength + CHECKSUM_BYTES
    if (stored < OVERFLOW_BYTES) return Math.ceil((keyLength + stored + NODE_BYTES) / FILL)
    const pages = Math.ceil((stored + 16) / PAGE_BYTES)
    return pages * PAGE_BYTES + Math.ceil((keyLength + NODE_BYTES) / FILL)
  }

  async close(): Promise<void> {
    await this.#database.close()
    this.#mark.close()
  }

  #get(key: Uint8Array): Uint8Array | undefined {
    const value = this.#database.getBinary(key)
    if (value === undefined || !hasChecksum(key, value, value.length)) return undefined
    return Uint8Array.from(value.subarray(0, value.length - CHECKSUM_BYTES))
  }

  #transaction(work: () => void): void {
    this.#attempt(() => this.#database.transactionSync(work))
  }

  /** A database that turns out to be damaged is removed, so that the next start has a new one. */
  #attempt<T>(work: () => T): T {
    try {
      return this.#mark.during(work)
    } catch (error) {
      if (DAMAGE_CODES.includes((error as { code?: unknown }).code)) discard(this.#folder)
      throw storeError(error, this.#folder)
    }
  }
}

/** Other processes keep the files that they have opened. */
function discard(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  createFolder(folder, 0o700)
}

/**
 * Whether the file is damaged. While another process commits, pages of an older state are overwritten, which looks like
 * damage; then the meta pages change too.
 */
function isDamaged(file: string, checkedPages: number): boolean {
  if (!existsSync(file)) return false
  for (let attempt = 0; attempt < CHECK_ATTEMPTS; attempt++) {
    const before = metaPages(file)
    if (damageOf(file, checkedPages) === undefined) return false
    if (equalBytes(before, metaPages(file))) return true
  }
  return false
}

function metaPages(file: string): Uint8Array {
  const bytes = new Uint8Array(META_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, META_BYTES, 0))
  } finally {
    closeSync(descriptor)
  }
}
