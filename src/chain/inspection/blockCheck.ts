/**
 * Checks every stored block against its hash, the roots in its header, its parent and the indexes that name it.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { rlpDecode } from '../../base/primitives/rlp.ts'
import type { ReportProblem } from '../../state/stateCheck.ts'
import { Column, keys, numberedKey } from '../../storage/schema.ts'
import type { Header } from '../../types/block.ts'
import { splitBody } from '../../types/blockCodec.ts'
import { decodeHeader } from '../../types/headerCodec.ts'
import { decodeStoredReceipts } from '../../types/receiptCodec.ts'
import {
  type BlockRecord,
  decodeBlockRecord,
  decodeNumber,
  decodeTransactionKeys,
  hasLocation,
} from '../blockRecord.ts'
import { BlockTables } from '../blockTables.ts'
import { decodeDevAmendment } from '../devAmendment.ts'
import type { BlockHasher } from '../engine.ts'
import { bodyRoots, checkHash, checkRoots } from '../validation/bodyRules.ts'
import { receiptsRoot } from '../validation/resultRules.ts'

/** A stored block, as far as it can be read. */
interface Found {
  readonly number: number
  readonly hash: Uint8Array
  readonly header: Header
}

export class BlockCheck {
  /** Of the last block. */
  number = 0
  blocks = 0
  transactions = 0
  readonly #reader: KeyValueReader
  readonly #tables: BlockTables
  readonly #hasher: BlockHasher
  readonly #firstNumber: number
  readonly #historyFrom: number
  readonly #report: ReportProblem

  constructor(reader: KeyValueReader, hasher: BlockHasher, report: ReportProblem) {
    this.#reader = reader
    this.#tables = new BlockTables(reader)
    this.#tables.runs.refresh()
    this.#hasher = hasher
    this.#firstNumber = this.#tables.firstNumber()
    this.#historyFrom = this.#tables.historyFrom()
    this.#report = report
  }

  /** On all branches, ascending. Yields after each block. */
  *all(): Generator<void, void> {
    for (const [key, rlp] of this.#reader.range({ prefix: Uint8Array.of(Column.header) })) {
      const { number, hash } = numberedKey(key)
      this.number = number
      this.blocks++
      const header = this.#attempt('header', key, () => this.#header(number, hash, rlp))
      if (header !== undefined) this.#block({ number, hash, header })
      yield
    }
  }

  /** @returns undefined when it cannot be read */
  #header(number: number, hash: Uint8Array, rlp: Uint8Array): Header {
    const header = decodeHeader(rlpDecode(rlp))
    const key = keys.header(number, hash)
    const actual = this.#hasher.hash(header, rlp)
    if (!equalBytes(actual, hash)) this.#report('header', key, `its hash is ${bytesToHex(actual)}`)
    else if (Number(header.number) !== number) this.#report('header', key, `its number is ${header.number}`)
    else if (number > this.#firstNumber && !this.#isStored(number - 1, header.parentHash)) {
      this.#report('header', key, `its parent ${bytesToHex(header.parentHash)} is missing`)
    }
    return header
  }

  #isStored(number: number, hash: Uint8Array): boolean {
    return (
      this.#reader.get(keys.header(number, hash)) !== undefined || this.#tables.runs.runOf(number, hash) !== undefined
    )
  }

  #block(block: Found): void {
    const { number, hash } = block
    this.#record(block)
    const numberKey = keys.numberByHash(hash)
    const stored = this.#reader.get(numberKey)
    if (stored === undefined) this.#report('numberByHash', numberKey, `block ${number} is missing`)
    else if (decodeNumber(stored) !== number)
      this.#report('numberByHash', numberKey, `it names block ${decodeNumber(stored)}, not ${number}`)
    // A mirror may leave the rest of old blocks out.
    if (number < this.#historyFrom) return
    const transactions = this.#body(block)
    if (transactions === undefined) return
    this.transactions += transactions.length
    this.#receipts(block, transactions.length)
    this.#transactionKeys(block, transactions)
  }

  #record({ number, hash, header }: Found): void {
    const key = keys.blockRecord(number, hash)
    const record = this.#decoded('blockRecord', key, decodeBlockRecord)
    if (record === undefined) return
    const parent = this.#reader.get(keys.blockRecord(number - 1, header.parentHash))
    const before = parent && this.#attempt('blockRecord', key, () => decodeBlockRecord(parent).totalDifficulty)
    const expected = before === undefined || number === this.#firstNumber ? undefined : before + header.difficulty
    if (expected !== undefined && record.totalDifficulty !== expected) {
      this.#report('blockRecord', key, `the total difficulty is ${record.totalDifficulty}, must be ${expected}`)
    }
    this.#amendment(number, hash, record)
  }

  #amendment(number: number, hash: Uint8Array, { isAmended }: BlockRecord): void {
    if (isAmended) this.#decoded('devAmendment', keys.devAmendment(number, hash), decodeDevAmendment)
  }

  /** @returns the encodings of the transactions */
  #body({ number, hash, header }: Found): readonly Uint8Array[] | undefined {
    const key = keys.body(number, hash)
    const parts = this.#decoded('body', key, (bytes) => splitBody(bytes, Number.POSITIVE_INFINITY))
    if (parts === undefined) return undefined
    const problem = this.#attempt('body', key, () => checkRoots(bodyRoots(parts), header))
    if (problem !== undefined) this.#report('body', key, problem)
    return parts.transactions
  }

  #receipts({ number, hash, header }: Found, count: number): void {
    const key = keys.receipts(number, hash)
    if (count === 0) {
      this.#absent('receipts', key)
      return
    }
    const receipts = this.#decoded('receipts', key, decodeStoredReceipts)
    if (receipts === undefined) return
    const problem = checkHash('receipts root', header.receiptsRoot, receiptsRoot(receipts))
    if (problem !== undefined) this.#report('receipts', key, problem)
  }

  #transactionKeys({ number, hash }: Found, transactions: readonly Uint8Array[]): void {
    const key = keys.senders(number, hash)
    if (transactions.length === 0) {
      this.#absent('senders', key)
      return
    }
    const stored = this.#decoded('senders', key, decodeTransactionKeys)
    if (stored === undefined) return
    if (stored.hashes.length !== transactions.length) {
      this.#report('senders', key, `there are ${stored.hashes.length} for ${transactions.length} transactions`)
      return
    }
    const canonical = this.#tables.canonicalHash(number)
    const isCanonical = canonical !== undefined && equalBytes(canonical, hash)
    for (const [index, encoding] of transactions.entries()) {
      const transactionHash = keccak256(encoding)
      if (!equalBytes(stored.hashes[index] as Uint8Array, transactionHash)) {
        this.#report('senders', key, `the hash of transaction ${index} is ${bytesToHex(transactionHash)}`)
      } else if (isCanonical) this.#location(transactionHash, number, index)
    }
  }

  #location(transactionHash: Uint8Array, number: number, index: number): void {
    const key = keys.transactionIndex(transactionHash)
    const locations = this.#reader.get(key)
    if (locations !== undefined && hasLocation(locations, number, index)) return
    this.#report('transactionIndex', key, `transaction ${index} of block ${number} is missing`)
  }

  #absent(column: 'receipts' | 'senders', key: Uint8Array): void {
    if (this.#reader.get(key) !== undefined) this.#report(column, key, 'the block has no transactions')
  }

  /** @returns undefined for a value that is missing or cannot be decoded, which is reported */
  #decoded<T>(column: Parameters<ReportProblem>[0], key: Uint8Array, decode: (bytes: Uint8Array) => T): T | undefined {
    const bytes = this.#reader.get(key)
    if (bytes !== undefined) return this.#attempt(column, key, () => decode(bytes))
    this.#report(column, key, 'it is missing')
    return undefined
  }

  #attempt<T>(column: Parameters<ReportProblem>[0], key: Uint8Array, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#report(column, key, (error as Error).message)
      return undefined
    }
  }
}
