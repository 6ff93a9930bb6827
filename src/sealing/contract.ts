/**
 * Block production as the rest of the node sees it. Each consensus engine has its producer (node/producers.ts).
 * @module
 */
import type { ChainHeader, PendingBlock } from '../chain/contract.ts'
import type { BlockPlan } from '../chain/transition/buildInput.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import type { PooledTransaction } from '../txpool/contract.ts'

/** What became of a transaction that was offered for a block at once. */
export type SettleOutcome =
  /** In a committed block; its receipt can be read. */
  | { readonly kind: 'mined'; readonly block: ChainHeader }
  /** Stays in the pool: blocks are not made at once, its nonce is ahead, or it does not pay the base fee. */
  | { readonly kind: 'waiting' }
  /** Dropped from the pool: it cannot be executed. */
  | { readonly kind: 'refused'; readonly rejection: Rejection }

/** `miner_*`. All changes take effect with the next block. */
export interface MiningControl {
  /**
   * Starts making blocks.
   * @throws {NodeError} COINBASE_NOT_SET
   */
  start(): void
  stop(): void
  setCoinbase(address: Uint8Array): void
  /** @throws {NodeError} TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED */
  setTargetGasLimit(gasLimit: bigint): void
}

export type ProducerStatus =
  | 'stopped'
  | 'producing'
  /** Started, but this version cannot make blocks on such a chain. */
  | 'unable'

/** Values of the next block that do not follow from its parent. */
export interface NextBlockOverrides {
  readonly gasLimit: bigint | undefined
  /** wei */
  readonly baseFeePerGas: bigint | undefined
}

/** A plan without what follows from template and parent. */
export type BlockContent = Pick<BlockPlan, 'candidates' | 'isEmptyAllowed'>

/** What a producer makes its next block with. */
export interface ProducerTemplate {
  /** undefined: all values follow from the parent */
  readonly overrides: NextBlockOverrides | undefined
  /** Plans on the same parent differ only in time and content while all of these stay the same. */
  readonly settings: readonly unknown[]
  /** The timestamp is that of a block made now. */
  plan(parent: ChainHeader, content: BlockContent): BlockPlan
}

/** Makes the blocks of one consensus engine: chooses transactions, builds, seals and commits. */
export interface BlockProducer extends MiningControl {
  readonly status: ProducerStatus
  /** hashes a second; 0 for engines that do no work */
  readonly hashrate: bigint
  /** 20 bytes; undefined: none chosen yet */
  readonly coinbase: Uint8Array | undefined
  /** undefined: the gas limit stays as it is */
  readonly targetGasLimit: bigint | undefined
  readonly template: ProducerTemplate
  /** Resolves when a just admitted transaction is mined, or at once when it has to wait. Missing: all have to wait. */
  settle?(pooled: PooledTransaction): SettleOutcome | Promise<SettleOutcome>
  /** Ends production for good. */
  close(): void
}

export interface MiningInfo {
  readonly coinbase: Uint8Array | undefined
  readonly mining: boolean
  /** hashes a second */
  readonly hashrate: bigint
  /** wei */
  readonly minGasPrice: bigint
}

/** The block that would come next, made of what the pool has. */
export interface PendingSource {
  /** @throws {StoreMiss} while it has to be built: the residency of the source builds it */
  current(): PendingBlock
}
