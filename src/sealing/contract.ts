/**
 * Block production as other parts of the node see it. Each consensus engine has its producer (node/producers.ts).
 * @module
 */
import type { ChainHeader, PendingBlock } from '../chain/contract.ts'
import type { BlockPlan } from '../chain/transition/buildInput.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import type { PooledTransaction } from '../txpool/contract.ts'

/** Result of offering a transaction for immediate sealing. */
export type MiningOutcome =
  /** In a committed block; its receipt is available. */
  | { readonly kind: 'mined'; readonly block: ChainHeader }
  /** Remains in the pool: sealing is not immediate, its nonce is ahead, or it does not pay the base fee. */
  | { readonly kind: 'waiting' }
  /** Removed from the pool: it cannot be executed. */
  | { readonly kind: 'refused'; readonly rejection: Rejection }

/** `miner_*`. All changes take effect with the next block. */
export interface MiningControl {
  /**
   * Starts block production.
   * @throws {NodeError} COINBASE_NOT_SET
   */
  start(): void
  /** @returns false when block production cannot be stopped, and continues */
  stop(): boolean
  setCoinbase(address: Uint8Array): void
  /** @throws {NodeError} TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED */
  setTargetGasLimit(gasLimit: bigint): void
}

export type ProducerStatus =
  | 'stopped'
  | 'producing'
  /** Started, but this version cannot produce blocks for the chain's engine. */
  | 'unable'

/** Values of the next block that are not derived from its parent. */
export interface NextBlockOverrides {
  readonly gasLimit: bigint | undefined
  /** wei */
  readonly baseFeePerGas: bigint | undefined
}

/** The part of a plan that does not depend on template and parent. */
export type BlockContent = Pick<BlockPlan, 'transactions' | 'isEmptyAllowed'>

/** Settings of a producer for its next block. */
export interface ProducerTemplate {
  /** undefined: all values are derived from the parent */
  readonly overrides: NextBlockOverrides | undefined
  /** While all of these are unchanged, plans on the same parent differ only in time and content. */
  readonly settings: readonly unknown[]
  /** The timestamp is that of a block sealed immediately. */
  plan(parent: ChainHeader, content: BlockContent): BlockPlan
}

/** A block whose seal is searched for. */
export interface SealingWork {
  readonly number: bigint
  /** 32 bytes: the hash of the header without its seal */
  readonly powHash: Uint8Array
  /** 32 bytes: the seed of the epoch's cache */
  readonly seedHash: Uint8Array
  /** 32 bytes, big-endian: the maximum valid result */
  readonly target: Uint8Array
  /** 32 bytes */
  readonly parentHash: Uint8Array
}

export type ShareOutcome =
  /** The nonce seals a block, which is now being committed. */
  | 'accepted'
  /** The work is unknown, too old or already solved. */
  | 'stale'
  /** The hash is above the target. */
  | 'invalid'

/** Proof of work by miners outside the node. */
export interface RemoteSealing {
  /** @throws {NodeError} NO_MINING_WORK_FOUND */
  work(): SealingWork
  /**
   * @param nonce 8 bytes, big-endian as in a header
   * @throws {NodeError} NO_MINING_WORK_FOUND when nothing is mined
   */
  submit(powHash: Uint8Array, nonce: Uint8Array): ShareOutcome
  /**
   * @param id of the miner, up to 32 bytes
   * @param rate hashes per second
   * @returns false for a rate of 0, which is not stored
   */
  reportHashrate(id: Uint8Array, rate: bigint): boolean
  /** Reports new work. */
  onWork(listener: (work: SealingWork) => void): () => void
}

/** Validators of the next block, as the messages of its height show them. */
export interface Attendance {
  readonly validators: number
  /** Number of validators whose agreement is final. */
  readonly quorum: number
  /** Validators whose messages for this height have not arrived, 20 bytes each. */
  readonly silent: readonly Uint8Array[]
  /** Why this validator itself does not vote; undefined while it does. */
  readonly obstacle?: string | undefined
}

/** Produces the blocks of one consensus engine: selects transactions, builds, seals and commits. */
export interface BlockProducer extends MiningControl {
  /** Whether this version can produce blocks for the chain's engine. */
  readonly canProduce: boolean
  readonly status: ProducerStatus
  /** hashes per second; 0 for engines without proof of work */
  readonly hashrate: bigint
  /** 20 bytes; undefined: not set */
  readonly coinbase: Uint8Array | undefined
  /** undefined: the gas limit is unchanged */
  readonly targetGasLimit: bigint | undefined
  readonly template: ProducerTemplate
  /**
   * Resolves when a newly admitted transaction is mined; immediately when it has to wait. Absent: all transactions
   * wait.
   */
  awaitMined?(pooled: PooledTransaction): MiningOutcome | Promise<MiningOutcome>
  /**
   * Begins production that needs no command, such as that of signers and validators. Called once the node serves
   * clients.
   */
  open?(): Promise<void>
  /** Proof of work only. */
  readonly remote?: RemoteSealing | undefined
  /** IBFT 2.0 and QBFT only; undefined while this node does not validate. */
  readonly attendance?: Attendance | undefined
  /** IBFT 2.0 and QBFT only: the highest block for which this node has signed a message; 0 without one. */
  readonly signedHeight?: number
  /** Pauses production while the node receives blocks from other nodes. */
  setSynchronising?(isSynchronising: boolean): void
  /** Ends production permanently. */
  close(): void
}

export interface MiningInfo {
  readonly coinbase: Uint8Array | undefined
  readonly mining: boolean
  /** hashes per second */
  readonly hashrate: bigint
  /** wei */
  readonly minGasPrice: bigint
}

/** The next block, built from the current pool. */
export interface PendingSource {
  /** @throws {StoreMiss} until it is built: the residency of the source builds it */
  current(): PendingBlock
  /** The block, once it is built: for work that must not be repeated after a miss. */
  whenBuilt(): Promise<PendingBlock>
}
