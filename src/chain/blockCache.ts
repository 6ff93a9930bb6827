/**
 * Decoded blocks in memory. Blocks are immutable, so they may be kept indefinitely.
 * @module
 */
import {
  BODY_CACHE_BYTES,
  HEADER_CACHE_BYTES,
  LOG_CACHE_BYTES,
  RECEIPT_CACHE_BYTES,
  SENDER_CACHE_BYTES,
} from '../base/limits/limits.ts'
import { BLOCK_CACHE_BYTES } from '../base/limits/memoryShares.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import type { BlockBody } from '../types/block.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { TRANSACTION_KEYS_BYTES, type TransactionKeys } from './blockRecord.ts'
import type { StoredHeader } from './blockTables.ts'
import type { StoredLogs } from './contract.ts'

/** Keyed by hash as text. */
interface Caches {
  readonly headers: LruCache<string, StoredHeader>
  readonly bodies: LruCache<string, BlockBody>
  readonly receipts: LruCache<string, readonly StoredReceipt[]>
  readonly transactionKeys: LruCache<string, TransactionKeys>
  /** Encoded receipts. Amendments do not change them, nor the hashes of the transactions. */
  readonly logs: LruCache<string, StoredLogs>
}

type Cached<Name extends keyof Caches> = Caches[Name] extends LruCache<string, infer T> ? T : never

/** Overhead of an item in the byte-bounded caches in addition to its encoding. */
const ITEM_OVERHEAD_BYTES = 256
/** Memory of a decoded header with the bytes of all its fields except its extra data (measured on V8). */
const HEADER_BYTES = 4096
/** Memory of decoded objects in addition to their bytes (measured on V8): a transaction, its keys, a receipt, a log. */
const TRANSACTION_OBJECT_BYTES = 1024
const KEYS_OBJECT_BYTES = 256
const RECEIPT_OBJECT_BYTES = 768
const LOG_OBJECT_BYTES = 512

/** All keys are hashes of blocks as text. */
export class BlockCache {
  #below: BlockCache | undefined
  /** Part of the upper bounds that the caches may have. */
  readonly part: number
  readonly #caches: Caches

  /**
   * @param below the cache of the store under a staged one; it is tried too
   * @param bytes of all blocks. Default: those of the cache below, or the upper bounds
   */
  constructor(below?: BlockCache, bytes?: number) {
    this.#below = below
    const part = bytes === undefined ? (below?.part ?? 1) : bytes / BLOCK_CACHE_BYTES
    this.part = part
    this.#caches = {
      headers: new LruCache(HEADER_CACHE_BYTES * part),
      bodies: new LruCache(BODY_CACHE_BYTES * part),
      receipts: new LruCache(RECEIPT_CACHE_BYTES * part),
      transactionKeys: new LruCache(SENDER_CACHE_BYTES * part),
      logs: new LruCache(LOG_CACHE_BYTES * part),
    }
  }

  rebase(below: BlockCache): void {
    this.#below = below
  }

  get<Name extends keyof Caches>(name: Name, key: string): Cached<Name> | undefined {
    const entry = this.#caches[name].get(key) as Cached<Name> | undefined
    return entry === undefined ? this.#below?.get(name, key) : entry
  }

  /** @param stored its bytes belong to no larger buffer */
  setHeader(key: string, stored: StoredHeader): void {
    this.#caches.headers.set(key, stored, HEADER_BYTES + stored.header.extraData.length)
  }

  /** @param encodedLength of its RLP */
  setBody(key: string, body: BlockBody, encodedLength: number): void {
    this.#caches.bodies.set(key, body, bodyBytes(body, encodedLength))
  }

  setReceipts(key: string, receipts: readonly StoredReceipt[]): void {
    this.#caches.receipts.set(key, receipts, receiptBytes(receipts))
  }

  setTransactionKeys(key: string, transactionKeys: TransactionKeys): void {
    this.#caches.transactionKeys.set(key, transactionKeys, keysBytes(transactionKeys))
  }

  setLogs(key: string, logs: StoredLogs): void {
    const bytes = ITEM_OVERHEAD_BYTES + logs.receipts.length + logs.transactionKeys.length
    this.#caches.logs.set(key, logs, bytes)
  }

  /** Adopts the blocks that a staged store has decoded. */
  absorb(staged: BlockCache): void {
    this.#caches.headers.absorb(staged.#caches.headers)
    this.#caches.bodies.absorb(staged.#caches.bodies)
    this.#caches.receipts.absorb(staged.#caches.receipts)
    this.#caches.transactionKeys.absorb(staged.#caches.transactionKeys)
  }

  forget(key: string): void {
    for (const cache of Object.values(this.#caches)) cache.delete(key)
  }

  /** Evicts data that later amendments of the same block may change: state and senders on the dev chain. */
  forgetAmendable(): void {
    this.#caches.headers.clear()
    this.#caches.transactionKeys.clear()
  }
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
