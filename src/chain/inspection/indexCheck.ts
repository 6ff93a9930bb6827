/**
 * Checks what names stored blocks, transactions and code, in both directions: the canonical chain, the indexes by hash, and
 * records whose block is gone.
 * @module
 */
import type { Entry, KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes, readUint } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { rlpDecode } from '../../base/primitives/rlp.ts'
import type { ReportProblem } from '../../state/stateCheck.ts'
import { Column, type ColumnName, keys, numberedKey } from '../../storage/schema.ts'
import { decodeHeader } from '../../types/headerCodec.ts'
import { decodeNumber, locationsOf, transactionHashOffset } from '../blockRecord.ts'
import { BlockTables } from '../blockTables.ts'

const HASHES = 2 ** 32
const RECORDS = ['body', 'receipts', 'senders', 'blockRecord'] as const
const POINTERS = ['head', 'safe', 'finalized'] as const

export class IndexCheck {
  readonly #reader: KeyValueReader
  readonly #tables: BlockTables
  readonly #head: number
  readonly #historyFrom: number
  readonly #report: ReportProblem
  #lastCanonical: { readonly number: number; readonly hash: Uint8Array } | undefined

  /** @param head number of the head */
  constructor(reader: KeyValueReader, head: number, report: ReportProblem) {
    this.#reader = reader
    this.#tables = new BlockTables(reader)
    this.#tables.runs.refresh()
    this.#head = head
    this.#historyFrom = this.#tables.historyFrom()
    this.#report = report
  }

  /** Yields the completed part of the whole after each key, 0 to 1. */
  *all(): Generator<number, void> {
    this.#pointers()
    const byNumber = ([key]: Entry): number => numberedKey(key).number / (this.#head + 1)
    const byHash = ([key]: Entry): number => readUint(key, 1, 4) / HASHES
    const parts: [ColumnName, (entry: Entry) => void, (entry: Entry) => number][] = [
      ['canonicalHash', (entry) => this.#canonical(entry), byNumber],
      ['numberByHash', (entry) => this.#numberByHash(entry), byHash],
      ['transactionIndex', (entry) => this.#transaction(entry), byHash],
      ['code', (entry) => this.#hashed('code', entry), byHash],
      ['preimage', (entry) => this.#hashed('preimage', entry), byHash],
      ...RECORDS.map((column): (typeof parts)[number] => [column, (entry) => this.#record(column, entry), byNumber]),
    ]
    for (const [part, [column, check, progressOf]] of parts.entries()) {
      for (const entry of this.#reader.range({ prefix: Uint8Array.of(Column[column]) })) {
        this.#attempt(column, entry[0], () => check(entry))
        yield (part + Math.min(1, progressOf(entry))) / parts.length
      }
      if (column === 'canonicalHash') this.#canonicalEnd()
    }
  }

  #pointers(): void {
    for (const name of POINTERS) {
      const hash = this.#reader.get(keys.meta(name))
      if (hash === undefined) continue
      const number = this.#tables.numberOf(hash)
      const canonical = number === undefined ? undefined : this.#tables.canonicalHash(number)
      if (canonical === undefined || !equalBytes(canonical, hash)) {
        this.#report('meta', keys.meta(name), `the ${name} block ${bytesToHex(hash)} is not in the canonical chain`)
      }
    }
  }

  #canonical([key, hash]: Entry): void {
    const { number } = numberedKey(key)
    const before = this.#lastCanonical
    this.#lastCanonical = { number, hash }
    if (number > this.#head) this.#report('canonicalHash', key, `block ${number} is above the head, ${this.#head}`)
    this.#gap(before === undefined ? this.#tables.firstNumber() : before.number + 1, number)
    const rlp = this.#reader.get(keys.header(number, hash))
    if (rlp === undefined) {
      this.#report('canonicalHash', key, `block ${number} ${bytesToHex(hash)} is missing`)
      return
    }
    const parent = number === this.#tables.firstNumber() ? undefined : this.#tables.canonicalHash(number - 1)
    if (parent !== undefined && !equalBytes(decodeHeader(rlpDecode(rlp)).parentHash, parent)) {
      this.#report('canonicalHash', key, `block ${number} is not a child of canonical block ${number - 1}`)
    }
  }

  /** Blocks without an entry have to belong to runs of empty blocks (dev chain). */
  #gap(from: number, to: number): void {
    if (from >= to) return
    for (const [first, last] of this.#tables.runs.gaps(from, to - 1)) {
      this.#report('canonicalHash', keys.canonicalHash(first), `blocks ${first} to ${last} are missing`)
    }
  }

  #canonicalEnd(): void {
    const last = this.#lastCanonical?.number
    this.#gap(last === undefined ? this.#tables.firstNumber() : last + 1, this.#head + 1)
  }

  #numberByHash([key, value]: Entry): void {
    const number = decodeNumber(value)
    if (this.#reader.get(keys.header(number, key.subarray(1))) !== undefined) return
    this.#report('numberByHash', key, `it names block ${number}, which is missing`)
  }

  #transaction([key, value]: Entry): void {
    for (const { blockNumber, index } of locationsOf(value)) {
      if (blockNumber < this.#historyFrom) continue
      const blockHash = this.#tables.canonicalHash(blockNumber)
      const senders = blockHash && this.#reader.get(keys.senders(blockNumber, blockHash))
      const at = senders === undefined ? undefined : transactionHashOffset(senders, index)
      if (at !== undefined && equalBytes((senders as Uint8Array).subarray(at, at + 32), key.subarray(1))) continue
      this.#report('transactionIndex', key, `block ${blockNumber} has no such transaction ${index}`)
    }
  }

  #hashed(column: ColumnName, [key, value]: Entry): void {
    const hash = keccak256(value)
    if (!equalBytes(hash, key.subarray(1))) this.#report(column, key, `the hash of the value is ${bytesToHex(hash)}`)
  }

  #record(column: ColumnName, [key]: Entry): void {
    const { number, hash } = numberedKey(key)
    if (this.#reader.get(keys.header(number, hash)) === undefined) {
      this.#report(column, key, `the header of block ${number} is missing`)
    }
  }

  #attempt(column: ColumnName, key: Uint8Array, check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#report(column, key, (error as Error).message)
    }
  }
}
