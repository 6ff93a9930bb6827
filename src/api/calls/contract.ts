/**
 * Simulated transactions and blocks.
 * @module
 */
import type { Rejection } from '../../chain/transition/rejection.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { AbortState } from '../../evm/driver.ts'
import type { BlockEnvironment, MessageResult } from '../../evm/evm.ts'
import type { TimeSlicer } from '../../ports/yieldToHost.ts'
import type { MutableState } from '../../state/contract.ts'
import type { Tracer } from '../../tracing/contract.ts'
import type { Header, Withdrawal } from '../../types/block.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import type { AccessList, Authorization } from '../../types/transaction.ts'

/** What the client left out is undefined. */
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
  /** Only eth_simulateV1 looks at it. */
  readonly nonce: bigint | undefined
  readonly chainId: bigint | undefined
  /** Whether fees are charged; undefined: when a price is given. */
  readonly strict: boolean | undefined
  readonly accessList: AccessList | undefined
  readonly blobVersionedHashes: readonly Uint8Array[] | undefined
  readonly authorizationList: readonly Authorization[] | undefined
}

/** A transaction that is only simulated: without signature, its nonce is the sender's. */
export interface SimulatedTransaction {
  /** 20 bytes; may have code */
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly gas: bigint
  readonly value: bigint
  readonly data: Uint8Array
  /** wei; the price of a transaction with one price stands here twice */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** false: the gas is free, whatever the prices and the base fee are */
  readonly chargesFees: boolean
  /** wei; undefined: blobs are free */
  readonly maxFeePerBlobGas: bigint | undefined
  readonly accessList: AccessList
  readonly blobVersionedHashes: readonly Uint8Array[]
  readonly authorizationList: readonly Authorization[]
  /** Checked against the sender's; undefined: whatever it is. */
  readonly nonce: bigint | undefined
}

/** The block that a simulated transaction runs in. */
export interface SimulatedBlock {
  readonly rules: ForkRules
  readonly environment: BlockEnvironment
}

export interface CallInput {
  /** Changed by the call as by a transaction of a block. */
  readonly state: MutableState
  readonly block: SimulatedBlock
  readonly transaction: SimulatedTransaction
  /** New address in hex → original address in hex; what is moved or replaced by code is gone at its own address. */
  readonly movedPrecompiles: ReadonlyMap<string, string> | undefined
  /** Fill `result.accessed`. */
  readonly collectAccessed: boolean
  /** Put a log of 0xeeee… among the logs for every transfer of value. */
  readonly transferLogs: boolean
  /** Sees the call; nothing of one that is invalid. */
  readonly tracer?: Tracer
  readonly limits: CallLimits
}

export type CallOutcome =
  /** Not a valid transaction in this block; nothing ran. */
  | { readonly kind: 'invalid'; readonly rejection: Rejection }
  | {
      readonly kind: 'executed'
      readonly result: MessageResult
      /** After refunds: what the sender pays for. */
      readonly gasUsed: bigint
      readonly gasUsedBeforeRefund: bigint
    }

/** A block under construction in a simulation. */
export interface BlockStepInput {
  readonly state: MutableState
  readonly block: SimulatedBlock
  /** What is known of the header so far; roots are not. */
  readonly header: Header
  readonly withdrawals: readonly Withdrawal[] | undefined
  readonly limits: CallLimits
}

/**
 * Simulates transactions and blocks; the driver of the execution engine keeps the limits. All methods throw
 * EXECUTION_TIMEOUT or EXECUTION_ABORTED when the limits are reached.
 */
export interface CallRunner {
  /** Limits of a request that takes several runs: the time is that of all of them. */
  limits(signal: AbortState | undefined, timeoutMs: number): CallLimits
  /** Divides other work of a call into time slices, which take turns with executions; undefined: it may run through. */
  slicer(): TimeSlicer | undefined
  run(input: CallInput): CallOutcome | Promise<CallOutcome>
  /** What a block does before its first transaction. */
  openBlock(input: BlockStepInput): Promise<void>
  /**
   * What a block does after its last transaction.
   * @returns EIP-7685 requests; undefined before Prague
   * @throws {NodeError} SIMULATION_INVALID_TRANSACTION when a system call fails
   */
  closeBlock(input: BlockStepInput, receipts: readonly StoredReceipt[]): Promise<readonly Uint8Array[] | undefined>
}

/** When to give up. */
export interface CallLimits {
  readonly signal: AbortState | undefined
  /** Wall-clock time from the start of a run. */
  readonly timeoutMs: number
  /** End of all runs together, by the monotonic clock of the runner; undefined: each has `timeoutMs`. */
  readonly deadline?: number | undefined
}
