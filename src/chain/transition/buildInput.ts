/**
 * Builds a new block: tries transactions in turn and derives the header from the results of those that were included.
 * @see Yellow Paper 12
 * @module
 */

import type { Residency } from '../../base/ports/keyValueStore.ts'
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { AbortState } from '../../evm/driver.ts'
import type { Evm } from '../../evm/evm.ts'
import type { ExecutionScheduler } from '../../evm/scheduler.ts'
import type { MutableState } from '../../state/contract.ts'
import type { Header, Withdrawal } from '../../types/block.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import type { Transaction } from '../../types/transaction.ts'
import type { ChainHeader } from '../contract.ts'
import type { ConsensusSchedule } from '../engine.ts'
import type { ParentReads } from '../parentReads.ts'
import type { PastHashes } from './blockHashHistory.ts'
import type { Rejection } from './rejection.ts'
import type { BlockBudget } from './validateTransaction.ts'

/** A transaction that may be included in the block. */
export interface PlannedTransaction {
  readonly transaction: Transaction
  /** 20 bytes */
  readonly sender: Uint8Array
  /** 32 bytes */
  readonly hash: Uint8Array
  /** Canonical encoding, where it is known already. */
  readonly encoding?: Uint8Array
  /** The signature is not the sender's (dev chain). */
  readonly isImpersonated?: boolean
}

/** Source of the transactions of a block. */
export interface TransactionSource {
  /**
   * The next transaction to try; undefined completes the block. Never reads anything that could throw `StoreMiss`.
   * @param budget gas and blob gas left in the block
   */
  next(budget: BlockBudget): PlannedTransaction | undefined
  included(planned: PlannedTransaction, receipt: StoredReceipt): void
  /** The transaction was rejected; the state is unchanged. */
  refused(planned: PlannedTransaction, rejection: Rejection): void
}

/** The parameters of a new block. */
export interface BlockPlan {
  /** seconds */
  readonly timestamp: bigint
  /** 20 bytes */
  readonly beneficiary: Uint8Array
  /** At most 32 bytes. */
  readonly extraData: Uint8Array
  readonly gasLimit: bigint
  /** Whether the gas limit is exempt from the bounds around the parent's (dev chain). */
  readonly setsGasLimit?: boolean
  /** 32 bytes, default zero; used only under proof of stake */
  readonly prevRandao?: Uint8Array
  /** wei; overrides the base fee derived from the parent (dev chain) */
  readonly baseFeePerGas?: bigint
  /** 20 bytes: the author, if only the seal identifies it (Clique). Default: derived by the consensus engine. */
  readonly author?: Uint8Array
  /** Default: none. Only under proof of work. */
  readonly ommers?: readonly Header[]
  /** Default: none. Only from Shanghai on. */
  readonly withdrawals?: readonly Withdrawal[]
  /** 32 bytes, default zero; used from Cancun on */
  readonly parentBeaconBlockRoot?: Uint8Array
  readonly transactions: TransactionSource
  /**
   * Longest time for the transactions, milliseconds; the block has those that ended by then. Requires a scheduler.
   * Default: no limit.
   */
  readonly deadlineMs?: number
  /** Ends the build with EXECUTION_ABORTED. */
  readonly signal?: AbortState
  /** When false, no block is built unless it includes a transaction. */
  readonly isEmptyAllowed: boolean
}

/** A plan under construction. */
export type PlanDraft = { -readonly [Name in keyof BlockPlan]: BlockPlan[Name] }

export interface BuildInput {
  readonly plan: BlockPlan
  readonly parent: ChainHeader
  readonly config: ChainConfig
  /** State after the parent; becomes the state after the block. */
  readonly state: MutableState
  readonly evm: Evm
  readonly consensus: ConsensusSchedule
  readonly parentReads: Pick<ParentReads, 'context'>
  readonly residency?: Residency | undefined
  readonly scheduler?: ExecutionScheduler | undefined
  readonly keepRevertReasons: boolean
  /** Permissioning; default: all senders are allowed. */
  readonly checkSender?:
    | ((transaction: Transaction, sender: Uint8Array) => MaybePromise<Rejection | undefined>)
    | undefined
  /** 20 bytes: calls to it are recorded in `BuiltBlock.results`. */
  readonly watchedAddress?: Uint8Array | undefined
  /** Blocks before the parent that the contract of EIP-2935 lacks (dev chain). */
  readonly pastHashes?: PastHashes | undefined
  /** Hash of an ancestor of the block, for BLOCKHASH. */
  blockHash(number: bigint): Uint8Array | undefined
}
