/**
 * The transaction pool as the rest of the node knows it: transactions that wait to be in a block.
 * @module
 */
import type { BlobSidecar } from '../types/blobSidecar.ts'
import type { Transaction } from '../types/transaction.ts'

/** A transaction that waits to be mined. */
export interface PooledTransaction {
  readonly transaction: Transaction
  /** Canonical, without a sidecar: what a block holds and what the hash is of. */
  readonly encoding: Uint8Array
  /** 32 bytes */
  readonly hash: Uint8Array
  /** 20 bytes */
  readonly sender: Uint8Array
  /** Came in by this node's own API: goes before remote ones and is kept over restarts. */
  readonly isLocal: boolean
  /** Wall clock, milliseconds. */
  readonly addedAtMs: number
  /** Order of admission: greater is later. */
  readonly sequence: number
  /** Verified; only with blob transactions. */
  readonly sidecar?: BlobSidecar
  /** The dev chain took the sender's word for it: the signature is not one. */
  readonly isImpersonated?: boolean
}

/** A decoded transaction on its way into the pool. */
export interface Candidate {
  readonly transaction: Transaction
  /** Canonical encoding, where it is known already. */
  readonly encoding?: Uint8Array
  readonly isLocal: boolean
  /** Verified already. */
  readonly sidecar?: BlobSidecar
  /** Taken as the sender instead of what the signature gives (impersonation on the dev chain). */
  readonly impersonatedSender?: Uint8Array
  /** Recovered already; undefined: the pool recovers it. */
  readonly sender?: Uint8Array
}

/**
 * - `evicted`: the pool was full
 * - `replaced`: by one of the same sender and nonce that pays more
 * - `expired`: older than the retention
 * - `invalid`: a block made it invalid (nonce used otherwise, balance gone, refused when a block was built)
 * - `removed`: on request
 */
export type DropReason = 'evicted' | 'replaced' | 'expired' | 'invalid' | 'removed'

export interface PoolEvents {
  /** Admitted, also again after a reorganisation. */
  added: PooledTransaction
  /** Left the pool into a block that is canonical now. */
  mined: PooledTransaction
  /** Left the pool without being mined. */
  dropped: { readonly pooled: PooledTransaction; readonly reason: DropReason }
}

export interface PoolSettings {
  /** Most transactions. */
  readonly maxSize: number
  /** Share of `maxSize` that one account may have, 0 to 1; the bound is rounded up. */
  readonly limitByAccount: number
  /** Percent by which a replacement must pay more. */
  readonly priceBump: number
  /** A transaction that has waited so long is dropped, milliseconds. */
  readonly retentionMs: number
  /** Most that a local transaction may cost in gas, wei; 0: anything. */
  readonly feeCap: bigint
  /** wei */
  readonly minGasPrice: bigint
  /** Refuse transactions without a chain id. */
  readonly requireReplayProtection: boolean
}

/** Prices of the block that a transaction would go into, wei. */
export interface BlockPrices {
  /** undefined before London */
  readonly baseFeePerGas: bigint | undefined
  /** undefined before Cancun */
  readonly blobBaseFee: bigint | undefined
}

/** `price`: by what the beneficiary gets; `admission`: as they came. Nonces are in order either way. */
export type PoolOrder = 'price' | 'admission'

/** Transactions for a block under construction, best first. */
export interface TransactionQueue {
  /** The best of what is left: executable in nonce order and paying the prices; undefined when there is none. */
  peek(): PooledTransaction | undefined
  /** Takes the first away: it is in the block, and the next of its sender moves up. */
  shift(): void
  /** Takes the first and all others of its sender away: it cannot be in this block. */
  skipSender(): void
}

/** Lookups. */
export interface PoolReader {
  readonly size: number
  readonly localCount: number
  readonly maxSize: number
  byHash(hash: Uint8Array): PooledTransaction | undefined
  /** First nonce that the sender's transactions leave free; undefined when there are none. */
  nextNonce(sender: Uint8Array): bigint | undefined
  /** All, in no order. */
  transactions(): Iterable<PooledTransaction>
  /** Senders that have any. */
  senders(): Iterable<Uint8Array>
  /** Of one sender, ascending by nonce. */
  bySender(sender: Uint8Array): readonly PooledTransaction[]
}
