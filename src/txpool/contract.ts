/**
 * The transaction pool as other parts of the node see it: transactions that wait for a block.
 * @module
 */
import type { BlobSidecar } from '../types/blobSidecar.ts'
import type { Transaction } from '../types/transaction.ts'

/** A transaction that waits to be mined. */
export interface PooledTransaction {
  readonly transaction: Transaction
  /** Canonical, without a sidecar: the form in a block, from which the hash is computed. */
  readonly encoding: Uint8Array
  /** 32 bytes */
  readonly hash: Uint8Array
  /** 20 bytes */
  readonly sender: Uint8Array
  /** Submitted through this node's API: precedes remote transactions and survives restarts. */
  readonly isLocal: boolean
  /** Wall clock, milliseconds. */
  readonly addedAtMs: number
  /** Order of admission: higher is later. */
  readonly sequence: number
  /** Verified; present for blob transactions only. */
  readonly sidecar?: BlobSidecar
  /** The sender was given instead of recovered (dev chain): the signature is not valid. */
  readonly isImpersonated?: boolean
}

/** A decoded transaction to be admitted. */
export interface IncomingTransaction {
  readonly transaction: Transaction
  /** Canonical encoding, if available. */
  readonly encoding?: Uint8Array
  readonly isLocal: boolean
  /** Already verified. */
  readonly sidecar?: BlobSidecar
  /** Sender that replaces the one of the signature (impersonation on the dev chain). */
  readonly impersonatedSender?: Uint8Array
  /** Already recovered; undefined: the pool recovers it. */
  readonly sender?: Uint8Array
  /** From a removed block or an earlier run of the node: the bound per account was applied before. */
  readonly isReturning?: true
}

/**
 * - `evicted`: the pool was full
 * - `replaced`: by one of the same sender and nonce with a higher price
 * - `expired`: older than the retention time
 * - `invalid`: a block made it invalid (nonce used by another transaction, balance too low, rejected while building a
 *   block)
 * - `removed`: on request
 */
export type DropReason = 'evicted' | 'replaced' | 'expired' | 'invalid' | 'removed'

export interface PoolEvents {
  /** Admitted, possibly again after a reorganisation. */
  added: PooledTransaction
  /** Left the pool because a canonical block includes it. */
  mined: PooledTransaction
  /** Left the pool without being mined. */
  dropped: { readonly pooled: PooledTransaction; readonly reason: DropReason }
}

export interface PoolSettings {
  /** Maximum number of transactions. */
  readonly maxSize: number
  /** Maximum share of `maxSize` per account, 0 to 1; the bound is rounded up. */
  readonly limitByAccount: number
  /** Minimum price increase of a replacement, in percent. */
  readonly priceBump: number
  /** Time after which a transaction is dropped, milliseconds. */
  readonly retentionMs: number
  /** Maximum total fee of a local transaction, wei; 0: unlimited. */
  readonly feeCap: bigint
  /** wei */
  readonly minGasPrice: bigint
  /** Whether transactions without a chain id are refused. */
  readonly requireReplayProtection: boolean
  /** Memory of all transactions. Blobs take at most half of it. Default: MAX_POOL_BYTES. */
  readonly maxBytes?: number
}

/** Prices of the block that would include a transaction, wei. */
export interface BlockPrices {
  /** undefined before London */
  readonly baseFeePerGas: bigint | undefined
  /** undefined before Cancun */
  readonly blobBaseFee: bigint | undefined
}

/** `price`: by the beneficiary's fee; `admission`: in order of admission. Nonces are in order in both cases. */
export type PoolOrder = 'price' | 'admission'

/** Transactions for a block under construction, best first. */
export interface TransactionQueue {
  /**
   * The best remaining transaction that is executable in nonce order and pays the prices; undefined when there is none.
   */
  peek(): PooledTransaction | undefined
  /** Removes the first transaction after its inclusion in the block; the sender's next one follows. */
  shift(): void
  /** Removes the first transaction and all others of its sender: it cannot be included in this block. */
  skipSender(): void
}

/** Lookups. */
export interface PoolReader {
  readonly size: number
  readonly localCount: number
  readonly maxSize: number
  byHash(hash: Uint8Array): PooledTransaction | undefined
  /** First unused nonce after the sender's transactions; undefined when there are none. */
  nextNonce(sender: Uint8Array): bigint | undefined
  /** All transactions, in no particular order. */
  transactions(): Iterable<PooledTransaction>
  /** Senders with pooled transactions. */
  senders(): Iterable<Uint8Array>
  /** Transactions of one sender, ascending by nonce. */
  bySender(sender: Uint8Array): readonly PooledTransaction[]
}
