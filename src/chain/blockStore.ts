/**
 * Stored blocks, decoded, cached and addressed by hash; the canonical chain by number. Blocks are immutable, so decoded
 * ones may be cached indefinitely; the canonical index and the pointers are always read.
 * @module
 */
import {
  BODY_CACHE_BYTES,
  HEADER_CACHE_ITEMS,
  LOG_CACHE_BYTES,
  RECEIPT_CACHE_BYTES,
  SENDER_CACHE_BYTES,
} from '../base/limits/limits.ts'
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { rlpDecode, rlpListOfEncoded, rlpSpan } from '../base/primitives/rlp.ts'
import { missingState, type StoredState } from '../state/contract.ts'
import { keyToText } from '../storage/keyText.ts'
import { Column, keys, numberedKey } from '../storage/schema.ts'
import type { BlockBody, Header } from '../types/block.ts'
import { decodeBody } from '../types/blockCodec.ts'
import { decodeHeader } from '../types/headerCodec.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { decodeStoredReceipts } from '../types/receiptCodec.ts'
import {
  type BlockRecord,
  blockDataMissing,
  corrupt,
  decodeBlockRecord,
  decodeLocation,
  decodeNumber,
  decodeTransactionKeys,
  TRANSACTION_KEYS_BYTES,
  type TransactionKeys,
} from './blockRecord.ts'
import type { ChainHeader, StoredLogs, TransactionLocation } from './contract.ts'
import { type DevAmendment, decodeDevAmendment } from './devAmendment.ts'

export interface StoredHeader extends ChainHeader {
  /** Length of the block's RLP. */
  readonly size: number
}

/** Keyed by hash as text. */
interface BlockCaches {
  readonly headers: LruCache<string, StoredHeader>
  readonly bodies: LruCache<string, BlockBody>
  readonly receipts: LruCache<string, readonly StoredReceipt[]>
  readonly transactionKeys: LruCache<string, TransactionKeys>
  /** Encoded receipts. Amendments do not change them, nor the hashes of the transactions. */
  readonly logs: LruCache<string, StoredLogs>
}

type Cached<Name extends keyof BlockCaches> = BlockCaches[Name] extends LruCache<string, infer T> ? T : never

export type PointerName = 'head' | 'safe' | 'finalized'

const devAmendmentPrefix = Uint8Array.of(Column.devAmendment)

const NO_KEYS: TransactionKeys = { senders: [], hashes: [] }

/** Overhead of an item in the byte-bounded caches in addition to its encoding. */
const ITEM_OVERHEAD_BYTES = 256
/** Memory of decoded objects in addition to their bytes (measured on V8): a transaction, its keys, a receipt, a log. */
const TRANSACTION_OBJECT_BYTES = 1024
const KEYS_OBJECT_BYTES = 256
const RECEIPT_OBJECT_BYTES = 768
const LOG_OBJECT_BYTES = 512

export class BlockStore {
  readonly #reader: KeyValueReader
  readonly #below: BlockStore | undefined
  readonly #caches: BlockCaches = {
    headers: new LruCache(HEADER_CACHE_ITEMS),
    bodies: new LruCache(BODY_CACHE_BYTES),
    receipts: new LruCache(RECEIPT_CACHE_BYTES),
    transactionKeys: new LruCache(SENDER_CACHE_BYTES),
    logs: new LruCache(LOG_CACHE_BYTES),
  }

  /** @param below the committed store under a staged one; its caches are tried too */
  constructor(reader: KeyValueReader, below?: BlockStore) {
    this.#reader = reader
    this.#below = below
  }

  header(hash: Uint8Array): StoredHeader | undefined {
    const key = keyToText(hash)
    return this.#cached('headers', key) ?? this.#readHeader(hash, key)
  }

  /** All stored blocks of a height, on any branch. */
  siblings(number: number): StoredHeader[] {
    const found: StoredHeader[] = []
    for (const [key] of this.#reader.range({ prefix: keys.headersAt(number) })) {
      const header = this.header(numberedKey(key).hash)
      if (header !== undefined) found.push(header)
    }
    return found
  }

  /** The state that the header of a stored block names, regardless of later amendments. */
  sealedRoot({ header, hash }: StoredHeader): StoredState {
    const record = this.#reader.get(keys.blockRecord(Number(header.number), hash))
    if (record === undefined) throw corrupt(`block ${bytesToHex(hash)} is incomplete`)
    return storedRoot(header, decodeBlockRecord(record))
  }

  /** The first canonical block below `end` with an amendment. */
  firstDevAmendment(end: number): { readonly number: number; readonly amendment: DevAmendment } | undefined {
    for (const [key, value] of this.#reader.range({ prefix: devAmendmentPrefix })) {
      const { number, hash } = numberedKey(key)
      if (number >= end) return undefined
      const canonical = this.canonicalHash(number)
      if (canonical !== undefined && equalBytes(canonical, hash))
        return { number, amendment: decodeDevAmendment(value) }
    }
    return undefined
  }

  body(hash: Uint8Array): BlockBody | undefined {
    const key = keyToText(hash)
    const cached = this.#cached('bodies', key)
    if (cached !== undefined) return cached
    const rlp = this.bodyRlp(hash)
    if (rlp === undefined) return undefined
    const body = decodeBody(rlp)
    this.#caches.bodies.set(key, body, bodyBytes(body, rlp.length))
    return body
  }

  receipts(hash: Uint8Array): readonly StoredReceipt[] | undefined {
    const key = keyToText(hash)
    const cached = this.#cached('receipts', key)
    if (cached !== undefined) return cached
    const number = this.numberOf(hash)
    if (number === undefined) return undefined
    const bytes = this.#reader.get(keys.receipts(number, hash))
    if (bytes === undefined) this.#requireEmpty('receipts', number, hash)
    const receipts = bytes === undefined ? [] : decodeStoredReceipts(bytes)
    this.#caches.receipts.set(key, receipts, receiptBytes(receipts))
    return receipts
  }

  /** Logs of canonical blocks, read together; undefined for a missing block or one without receipts. */
  storedLogs(numbers: readonly number[]): (StoredLogs | undefined)[] {
    const hashes = this.#reader.getMany(numbers.map((number) => keys.canonicalHash(number)))
    const found = hashes.map((hash) => hash && this.#cached('logs', keyToText(hash)))
    const wanted: Uint8Array[] = []
    for (const [i, hash] of hashes.entries()) {
      if (hash === undefined || found[i] !== undefined) continue
      wanted.push(keys.receipts(numbers[i] as number, hash), keys.senders(numbers[i] as number, hash))
    }
    if (wanted.length === 0) return found
    const values = this.#reader.getMany(wanted)
    let next = 0
    return hashes.map((hash, i) => {
      if (hash === undefined || found[i] !== undefined) return found[i]
      return this.#keepLogs(numbers[i] as number, hash, values[next++], values[next++])
    })
  }

  /** undefined for a block without receipts. */
  storedLogsOf(hash: Uint8Array): StoredLogs | undefined {
    const cached = this.#cached('logs', keyToText(hash))
    if (cached !== undefined) return cached
    const number = this.numberOf(hash)
    if (number === undefined) return undefined
    const [receipts, transactionKeys] = this.#reader.getMany([keys.receipts(number, hash), keys.senders(number, hash)])
    return this.#keepLogs(number, hash, receipts, transactionKeys)
  }

  #keepLogs(
    number: number,
    blockHash: Uint8Array,
    receipts: Uint8Array | undefined,
    transactionKeys: Uint8Array | undefined,
  ): StoredLogs | undefined {
    if (receipts === undefined || transactionKeys === undefined) {
      this.#requireEmpty(receipts === undefined ? 'receipts' : 'senders', number, blockHash)
      return undefined
    }
    const logs = { number, blockHash, receipts, transactionKeys }
    const bytes = ITEM_OVERHEAD_BYTES + receipts.length + transactionKeys.length
    this.#caches.logs.set(keyToText(blockHash), logs, bytes)
    return logs
  }

  transactionKeys(hash: Uint8Array): TransactionKeys | undefined {
    const key = keyToText(hash)
    const cached = this.#cached('transactionKeys', key)
    if (cached !== undefined) return cached
    const number = this.numberOf(hash)
    if (number === undefined) return undefined
    const bytes = this.#reader.get(keys.senders(number, hash))
    if (bytes === undefined) this.#requireEmpty('senders', number, hash)
    const found = bytes === undefined ? NO_KEYS : decodeTransactionKeys(bytes)
    this.#caches.transactionKeys.set(key, found, keysBytes(found))
    return found
  }

  /** RLP of the whole block, assembled from its stored parts. */
  blockRlp(hash: Uint8Array): Uint8Array | undefined {
    const number = this.numberOf(hash)
    if (number === undefined) return undefined
    const [header, body] = this.#reader.getMany([keys.header(number, hash), keys.body(number, hash)])
    if (header === undefined) throw corrupt(`block ${bytesToHex(hash)} is incomplete`)
    if (body === undefined) throw blockDataMissing('body', number, hash)
    return rlpListOfEncoded([header, body.subarray(rlpSpan(body, 0).payload)])
  }

  /** RLP of the body as stored. */
  bodyRlp(hash: Uint8Array): Uint8Array | undefined {
    const number = this.numberOf(hash)
    if (number === undefined) return undefined
    const body = this.#reader.get(keys.body(number, hash))
    if (body === undefined) throw blockDataMissing('body', number, hash)
    return body
  }

  numberOf(hash: Uint8Array): number | undefined {
    const key = keyToText(hash)
    const cached = this.#cached('headers', key)
    if (cached !== undefined) return Number(cached.header.number)
    const bytes = this.#reader.get(keys.numberByHash(hash))
    return bytes === undefined ? undefined : decodeNumber(bytes)
  }

  canonicalHash(number: number): Uint8Array | undefined {
    return this.#reader.get(keys.canonicalHash(number))
  }

  isCanonical(hash: Uint8Array): boolean {
    const number = this.numberOf(hash)
    if (number === undefined) return false
    const canonical = this.canonicalHash(number)
    return canonical !== undefined && equalBytes(canonical, hash)
  }

  /** Canonical chain only. */
  headerByNumber(number: number): StoredHeader | undefined {
    const hash = this.canonicalHash(number)
    return hash === undefined ? undefined : this.header(hash)
  }

  /** Canonical chain only. */
  transactionLocation(transactionHash: Uint8Array): TransactionLocation | undefined {
    const bytes = this.#reader.get(keys.transactionIndex(transactionHash))
    if (bytes === undefined) return undefined
    const { blockNumber, index } = decodeLocation(bytes)
    const blockHash = this.canonicalHash(blockNumber)
    return blockHash === undefined ? undefined : { blockHash, blockNumber, index }
  }

  pointer(name: PointerName): StoredHeader | undefined {
    const hash = this.#reader.get(keys.meta(name))
    if (hash === undefined) return undefined
    const header = this.header(hash)
    if (header === undefined) throw corrupt(`${name} block ${bytesToHex(hash)} is missing`)
    return header
  }

  /** Adopts the decoded blocks of a staged store on top of this one, once that is committed. */
  absorb(staged: BlockStore): void {
    this.#caches.headers.absorb(staged.#caches.headers)
    this.#caches.bodies.absorb(staged.#caches.bodies)
    this.#caches.receipts.absorb(staged.#caches.receipts)
    this.#caches.transactionKeys.absorb(staged.#caches.transactionKeys)
  }

  /** Adds a newly written block to the caches, so that it is not decoded again. */
  remember(
    stored: StoredHeader,
    body: BlockBody,
    transactions: TransactionKeys,
    receipts: readonly StoredReceipt[],
  ): void {
    const key = keyToText(stored.hash)
    const { transactions: list, ommers, withdrawals } = body
    const bodyOnly =
      withdrawals === undefined ? { transactions: list, ommers } : { transactions: list, ommers, withdrawals }
    this.#caches.headers.set(key, stored)
    this.#caches.bodies.set(key, bodyOnly, bodyBytes(bodyOnly, stored.size))
    this.#caches.receipts.set(key, receipts, receiptBytes(receipts))
    this.#caches.transactionKeys.set(key, transactions, keysBytes(transactions))
  }

  /** Replaces a cached header. */
  rememberHeader(stored: StoredHeader): void {
    this.#caches.headers.set(keyToText(stored.hash), stored)
  }

  /** Evicts data that later amendments of the same block may change: state and senders on the dev chain. */
  forgetAmendable(): void {
    this.#caches.headers.clear()
    this.#caches.transactionKeys.clear()
  }

  #cached<Name extends keyof BlockCaches>(name: Name, key: string): Cached<Name> | undefined {
    const own = this.#caches[name].get(key) as Cached<Name> | undefined
    if (own !== undefined || this.#below === undefined) return own
    return this.#below.#caches[name].get(key) as Cached<Name> | undefined
  }

  /** A record in the consensus engine's store. */
  engineRecord(engine: string, key: Uint8Array): Uint8Array | undefined {
    return this.#reader.get(keys.engineRecord(engine, key))
  }

  #readHeader(hash: Uint8Array, key: string): StoredHeader | undefined {
    const number = this.numberOf(hash)
    if (number === undefined) return undefined
    const [rlp, recordBytes] = this.#reader.getMany([keys.header(number, hash), keys.blockRecord(number, hash)])
    if (rlp === undefined || recordBytes === undefined) throw corrupt(`block ${bytesToHex(hash)} is incomplete`)
    const header = decodeHeader(rlpDecode(rlp))
    const record = decodeBlockRecord(recordBytes)
    const sealedRoot = storedRoot(header, record)
    const amendment = record.isAmended ? this.#devAmendment(number, hash) : undefined
    const stored: StoredHeader = {
      header,
      hash,
      totalDifficulty: record.totalDifficulty,
      stateRoot: amendment?.stateRoot ?? sealedRoot,
      size: record.size,
      dev: amendment?.environment,
    }
    this.#caches.headers.set(key, stored)
    return stored
  }

  #devAmendment(number: number, hash: Uint8Array): DevAmendment {
    const amendment = this.#reader.get(keys.devAmendment(number, hash))
    if (amendment === undefined) throw corrupt(`the dev amendment of block ${bytesToHex(hash)} is missing`)
    return decodeDevAmendment(amendment)
  }

  /**
   * Blocks without transactions have no receipts and no senders; for all others both must be stored.
   * @throws {NodeError} BLOCK_DATA_MISSING
   */
  #requireEmpty(part: 'receipts' | 'senders', number: number, hash: Uint8Array): void {
    const transactionsRoot = this.header(hash)?.header.transactionsRoot
    if (transactionsRoot === undefined || !equalBytes(transactionsRoot, EMPTY_TRIE_ROOT)) {
      throw blockDataMissing(part, number, hash)
    }
  }
}

function storedRoot({ stateRoot }: Header, { stateVersion }: BlockRecord): StoredState {
  return stateVersion === undefined ? missingState(stateRoot) : { hash: stateRoot, version: stateVersion }
}

/** Estimated memory of a body. @param encodedLength of its RLP */
export function bodyBytes({ transactions }: BlockBody, encodedLength: number): number {
  return ITEM_OVERHEAD_BYTES + encodedLength + transactions.length * TRANSACTION_OBJECT_BYTES
}

function keysBytes({ hashes }: TransactionKeys): number {
  return ITEM_OVERHEAD_BYTES + hashes.length * (TRANSACTION_KEYS_BYTES + KEYS_OBJECT_BYTES)
}

/** Estimated memory of receipts. */
export function receiptBytes(receipts: readonly StoredReceipt[]): number {
  let bytes = ITEM_OVERHEAD_BYTES
  for (const { logs, revertReason } of receipts) {
    bytes += RECEIPT_OBJECT_BYTES + (revertReason?.length ?? 0)
    for (const { data } of logs) bytes += LOG_OBJECT_BYTES + data.length
  }
  return bytes
}
