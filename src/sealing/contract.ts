/**
 * Making blocks: what the rest of the node may ask of the one that seals them.
 * @module
 */
import type { ChainHeader, PendingBlock } from '../chain/contract.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import type { PooledTransaction } from '../txpool/contract.ts'

/** What became of a transaction that was offered for sealing at once. */
export type SettleOutcome =
  /** In a committed block; its receipt can be read. */
  | { readonly kind: 'mined'; readonly block: ChainHeader }
  /** Stays in the pool: sealing is not instant, its nonce is ahead, or it does not pay the base fee. */
  | { readonly kind: 'waiting' }
  /** Dropped from the pool: it cannot be executed. */
  | { readonly kind: 'refused'; readonly rejection: Rejection }

/** When blocks are made. */
export type SealingMode =
  | { readonly kind: 'off' }
  /** One block a transaction, as it comes. */
  | { readonly kind: 'instant' }
  /** One block each interval, whatever there is to put in. */
  | { readonly kind: 'interval'; readonly intervalMs: number }

/** What a node that makes blocks offers. All changes take effect with the next block. */
export interface Sealing {
  readonly mode: SealingMode
  readonly isSealing: boolean
  readonly coinbase: Uint8Array | undefined
  /** undefined: the gas limit stays as it is. */
  readonly targetGasLimit: bigint | undefined
  setCoinbase(address: Uint8Array): void
  setTargetGasLimit(gasLimit: bigint): void
  /**
   * Starts making blocks (`miner_start`).
   * @throws {NodeError} COINBASE_NOT_SET
   */
  start(): void
  stop(): void
  /** Resolves when a just admitted transaction is mined, or at once when it has to wait. */
  settle(pooled: PooledTransaction): SettleOutcome | Promise<SettleOutcome>
}

export interface MiningInfo {
  readonly coinbase: Uint8Array | undefined
  readonly mining: boolean
  /** hashes a second */
  readonly hashrate: bigint
  /** wei */
  readonly minGasPrice: bigint
}

/** `miner_*` */
export interface MiningControl {
  /** @throws {NodeError} COINBASE_NOT_SET */
  start(): void
  stop(): void
  setCoinbase(address: Uint8Array): void
  /** @throws {NodeError} TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED */
  setTargetGasLimit(gasLimit: bigint): void
}

/** The block that would come next, made of what the pool has. */
export interface PendingSource {
  /** @throws {StoreMiss} while it has to be built: the residency of the source builds it */
  current(): PendingBlock
}
