/**
 * Which values of an LMDB database end with a checksum: all of a new one. An older one gets them in slices, in the order of the
 * keys; a mark in the database names the last key that has its checksum.
 * @module
 */
import type { RootDatabase } from 'lmdb'
import { MIGRATION_BATCH_BYTES, MIGRATION_BATCH_KEYS } from '../../../src/base/limits/limits.ts'
import { compareBytes, equalBytes, readUint, uintBytes } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { CHECKSUM_BYTES, hasChecksum, withChecksum } from '../../../src/storage/checksum.ts'
import { keyAfter } from '../../../src/storage/range.ts'

type Database = RootDatabase<Uint8Array, Uint8Array>

/** No column has its first byte. Its value: empty when all values have checksums, else number of values (6) ‖ last key. */
const MARK = Uint8Array.of(0, ...new TextEncoder().encode('checksums'))
const COUNT_BYTES = 6
const NO_KEY = new Uint8Array(0)

/** The values up to a key. */
interface Covered {
  readonly count: number
  readonly last: Uint8Array
}

const NOTHING: Covered = { count: 0, last: NO_KEY }

export class LmdbChecksums {
  readonly #database: Database
  #isComplete = false
  /** The database is new: its first batch stores the mark. */
  #isNew = false

  /** @throws {NodeError} STORE_DAMAGED when the mark is damaged or lost */
  constructor(database: Database, readOnly: boolean) {
    this.#database = database
    const covered = this.#read()
    const first = covered === NOTHING ? this.#entries(NO_KEY, 1)[0] : undefined
    if (first !== undefined && hasChecksum(first[0], first[1], first[1].length)) throw damagedMark()
    this.#isNew = !readOnly && covered === NOTHING && first === undefined
    if (this.#isNew) this.#isComplete = true
  }

  /** Whether the checksums of all values are in place. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Whether the value of this key ends with its checksum. Reads from the database unless it is complete. */
  covers(key: Uint8Array): boolean {
    return this.#isComplete || compareBytes(key, this.#read()?.last ?? key) <= 0
  }

  isMark(key: Uint8Array): boolean {
    return key[0] === MARK[0] && equalBytes(key, MARK)
  }

  /** Stores the mark of a new database with its first batch, within that transaction. */
  begin(): void {
    if (this.#isNew) this.#write(undefined)
  }

  /** The batch is stored. */
  begun(): void {
    this.#isNew = false
  }

  /**
   * Adds the checksums of the next values, in one transaction.
   * @returns the completed part of the whole, 0 to 1
   */
  extend(): number {
    if (this.#isComplete) return 1
    const { count, last } = this.#read() ?? NOTHING
    const entries = this.#entries(last.length === 0 ? last : keyAfter(last), MIGRATION_BATCH_KEYS)
    const end = entries.at(-1)?.[0]
    const covered = end && { count: count + entries.length, last: end }
    this.#database.transactionSync(() => {
      for (const [key, value] of entries) this.#database.put(key, withChecksum(key, value))
      this.#write(covered)
    })
    if (covered === undefined) {
      this.#isComplete = true
      return 1
    }
    const { entryCount } = this.#database.getStats() as { readonly entryCount: number }
    return Math.min(1, covered.count / (entryCount + 1))
  }

  /** @returns undefined when the checksums of all values are in place */
  #read(): Covered | undefined {
    const stored = this.#database.getBinary(MARK)
    if (stored === undefined) return NOTHING
    if (!hasChecksum(MARK, stored, stored.length)) throw damagedMark()
    const value = Uint8Array.from(stored.subarray(0, stored.length - CHECKSUM_BYTES))
    if (value.length > 0) return { count: readUint(value, 0, COUNT_BYTES), last: value.subarray(COUNT_BYTES) }
    this.#isComplete = true
    return undefined
  }

  #write(covered: Covered | undefined): void {
    const value =
      covered === undefined ? NO_KEY : Uint8Array.of(...uintBytes(covered.count, COUNT_BYTES), ...covered.last)
    this.#database.put(MARK, withChecksum(MARK, value))
  }

  /** The next values without a checksum. */
  #entries(start: Uint8Array, limit: number): [key: Uint8Array, value: Uint8Array][] {
    const entries: [Uint8Array, Uint8Array][] = []
    let bytes = 0
    for (const { key, value } of this.#database.getRange(start.length === 0 ? {} : { start })) {
      if (this.isMark(key)) continue
      entries.push([Uint8Array.from(key), Uint8Array.from(value)])
      bytes += value.length
      if (entries.length >= limit || bytes >= MIGRATION_BATCH_BYTES) break
    }
    return entries
  }
}

function damagedMark(): NodeError {
  return new NodeError({ code: 'STORE_DAMAGED' }, 'the database is damaged: its record of checksums is lost')
}
