/**
 * Simulated transactions and blocks.
 * @module
 */

import type { Residency } from '../../base/ports/keyValueStore.ts'
import type { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import type { Rejection } from '../../chain/transition/rejection.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { AbortState } from '../../evm/driver.ts'
import type { BlockEnvironment, MessageResult } from '../../evm/evm.ts'
import type { MutableState } from '../../state/contract.ts'
import type { Tracer } from '../../tracing/contract.ts'
import type { Header, Withdrawal } from '../../types/block.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import type { AccessList, Authorization } from '../../types/transaction.ts'

/** Members that the client omits are undefined. */
export interface CallObject {
  readonly from: Uint8Array | undefined
  readonly to: Uint8Array | undefined
  readonly gas: bigint | undefined
  readonly gasPrice: bigint | undefined
  readonly maxPriorityFeePerGas: bigint | undefined
  readonly maxFeePerGas: bigint | undefined
  readonly maxFeePerBlobGas: bigint | undefined
  readonly value: bigint | undefined
  readonly data: Uint8Array
  /** Used by eth_simulateV1 only. */
  readonly nonce: bigint | undefined
  readonly chainId: bigint | undefined
  /** Whether fees are charged; undefined: when a price is given. */
  readonly strict: boolean | undefined
  readonly accessList: AccessList | undefined
  readonly blobVersionedHashes: readonly Uint8Array[] | undefined
  readonly authorizationList: readonly Authorization[] | undefined
}

/** A simulated transaction: unsigned; the default nonce is the sender's. */
export interface SimulatedTransaction {
  /** 20 bytes; may have code */
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly gas: bigint
  readonly value: bigint
  readonly data: Uint8Array
  /** wei; for a transaction with a single price, both members have it */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** false: the gas is free, regardless of prices and base fee */
  readonly chargesFees: boolean
  /** wei; undefined: blobs are free */
  readonly maxFeePerBlobGas: bigint | undefined
  readonly accessList: AccessList
  readonly blobVersionedHashes: readonly Uint8Array[]
  readonly authorizationList: readonly Authorization[]
  /** Must equal the sender's nonce; undefined: not checked. */
  readonly nonce: bigint | undefined
}

/** The block that a simulated transaction runs in. */
export interface SimulatedBlock {
  readonly rules: ForkRules
  readonly environment: BlockEnvironment
}

export interface CallInput {
  /** The call changes it as a transaction of a block does. */
  readonly state: MutableState
  readonly block: SimulatedBlock
  readonly transaction: SimulatedTransaction
  /**
   * New address in hex → original address in hex; a precompile that is moved or replaced by code no longer exists at
   * its own address.
   */
  readonly movedPrecompiles: ReadonlyMap<string, string> | undefined
  /** Whether to fill `result.accessed`. */
  readonly collectAccessed: boolean
  /** Whether to add a log of 0xeeee… for every transfer of value. */
  readonly transferLogs: boolean
  /** 20 bytes: calls to it are recorded in the result. */
  readonly watchedAddress?: Uint8Array | undefined
  /** Observes the execution; not notified of an invalid call. */
  readonly tracer?: Tracer
  readonly limits: CallLimits
}

export type CallOutcome =
  /** The transaction is invalid in this block; nothing was executed. */
  | { readonly kind: 'invalid'; readonly rejection: Rejection }
  | {
      readonly kind: 'executed'
      readonly result: MessageResult
      /** After refunds: the amount that the sender pays for. */
      readonly gasUsed: bigint
      readonly gasUsedBeforeRefund: bigint
    }

/** A block under construction in a simulation. */
export interface BlockStepInput {
  readonly state: MutableState
  readonly block: SimulatedBlock
  /** The header as far as it is known; its roots are not. */
  readonly header: Header
  readonly withdrawals: readonly Withdrawal[] | undefined
  readonly limits: CallLimits
}

/**
 * Simulates transactions and blocks; the EVM driver enforces the limits. All methods throw EXECUTION_TIMEOUT or
 * EXECUTION_ABORTED when a limit is reached.
 */
export interface CallSimulator {
  /** Limits of a request with several executions: they share the time limit. */
  limits(signal: AbortState | undefined, timeoutMs: number): CallLimits
  /**
   * Divides other work of a call into time slices that alternate with executions; undefined: the work may run to
   * completion.
   */
  slicer(): TimeSlicer | undefined
  run(input: CallInput): CallOutcome | Promise<CallOutcome>
  /** Runs the operations that precede a block's first transaction. */
  openBlock(input: BlockStepInput): Promise<void>
  /**
   * Runs the operations that follow a block's last transaction.
   * @returns EIP-7685 requests; undefined before Prague
   * @throws {NodeError} SIMULATION_INVALID_TRANSACTION when a system call fails
   */
  closeBlock(input: BlockStepInput, receipts: readonly StoredReceipt[]): Promise<readonly Uint8Array[] | undefined>
}

/** The part of a simulator that single messages need. */
export type MessageSimulator = Pick<CallSimulator, 'limits' | 'slicer' | 'run'>

/** Limits of the executions of a request. */
export interface CallLimits {
  readonly signal: AbortState | undefined
  /** End of all of them together, by the monotonic clock of the runner. */
  readonly deadline: number
  /** Loads for all of them; their waits extend the deadline. */
  readonly loads?: Residency | undefined
}
