/**
 * The contract of an EVM implementation, which runs one message at a time and can be paused.
 *
 * The chain owns the transaction rules (intrinsic gas, fees, refunds, authorizations: chain/transition); the EVM owns
 * everything inside a message. A single driver (evm/driver.ts) handles deadline, abort, fairness and store misses for
 * all callers.
 * @module
 */

import type { MissRequest } from '../base/ports/keyValueStore.ts'
import type { ForkRules } from '../config/forks.ts'
import type { Log } from '../types/receipt.ts'
import type { AccessList } from '../types/transaction.ts'
import type { HaltReason } from './haltReason.ts'
import type { ExecutionHooks } from './hooks.ts'
import type { StateDB } from './stateDb.ts'
import type { WatchedCalls } from './watchedCalls.ts'

/** A top-level call or creation (depth 0). The sender has already paid for gas, and its nonce has been incremented. */
export interface Message {
  /** 20 bytes */
  readonly caller: Uint8Array
  /** 20 bytes; undefined creates a contract from `data` */
  readonly to: Uint8Array | undefined
  /** wei, moved from caller to recipient inside the message */
  readonly value: bigint
  /** input, or init code */
  readonly data: Uint8Array
  /** available to the message, after intrinsic gas */
  readonly gas: bigint
  /** 20 bytes: address of the contract that a creation makes. Default: derived from the caller and its nonce. */
  readonly contract?: Uint8Array | undefined
}

/** Deviations of a dev chain from its genesis file. */
export interface DevEnvironment {
  /** undefined: the chain's own */
  readonly chainId: bigint | undefined
  /** Addresses that ecrecover returns: r ‖ s ‖ v (27 or 28) as text (storage/keyText.ts) → 20 bytes. */
  readonly signers: ReadonlyMap<string, Uint8Array>
}

/** The block of a message, as opcodes see it. */
export interface BlockEnvironment {
  readonly number: bigint
  readonly timestamp: bigint
  /** 20 bytes */
  readonly beneficiary: Uint8Array
  readonly gasLimit: bigint
  readonly difficulty: bigint
  /** 32 bytes */
  readonly prevRandao: Uint8Array
  /** undefined before London */
  readonly baseFeePerGas: bigint | undefined
  /** undefined before Cancun */
  readonly excessBlobGas: bigint | undefined
  /** BLOBBASEFEE, unless derived from `excessBlobGas` (block overrides). */
  readonly blobBaseFee?: bigint
  /** Only on a dev chain; its chain id replaces the one of the message. */
  readonly dev?: DevEnvironment | undefined
  /** Hash of one of the 256 ancestors; undefined when out of range. May throw `StoreMiss`. */
  blockHash(number: bigint): Uint8Array | undefined
}

/** The transaction of a message, as opcodes see it. */
export interface TransactionEnvironment {
  /** ORIGIN, 20 bytes */
  readonly origin: Uint8Array
  /** GASPRICE: effective, wei */
  readonly gasPrice: bigint
  /** EIP-4844 */
  readonly blobVersionedHashes: readonly Uint8Array[]
  /**
   * Initially warm (EIP-2930), in addition to those that the fork makes warm: sender, recipient, precompiles, coinbase.
   */
  readonly accessList: AccessList
  /** Also initially warm: EIP-7702 authorities and delegation targets. 20 bytes each. */
  readonly warmAddresses: readonly Uint8Array[]
}

export interface ExecutionEnvironment {
  readonly chainId: bigint
  readonly rules: ForkRules
  readonly block: BlockEnvironment
  readonly transaction: TransactionEnvironment
  /** EIP-170 limit of this chain, bytes; undefined for the fork's limit. */
  readonly contractSizeLimit: number | undefined
  /**
   * Precompiles at overridden addresses (eth_simulateV1): new address in hex → original address in hex. A key that is
   * not an address removes the precompile from its original address.
   */
  readonly movedPrecompiles?: ReadonlyMap<string, string> | undefined
}

export interface MessageResult {
  readonly outcome: 'success' | 'revert' | 'halt'
  readonly halt?: HaltReason
  /** unused gas; 0 after a halt */
  readonly gasLeft: bigint
  /** refund counter (SSTORE, SELFDESTRUCT), not capped; 0 unless success */
  readonly gasRefund: bigint
  /** return data, revert data, or the deployed code of a creation */
  readonly output: Uint8Array
  /** address of a successful creation */
  readonly createdAddress: Uint8Array | undefined
  /** empty unless success */
  readonly logs: readonly Log[]
  /** accounts to delete at the end of the transaction, 20 bytes each (EIP-6780 already applied) */
  readonly selfDestructs: readonly Uint8Array[]
  /** addresses and slots that were warm at the end; only on request */
  readonly accessed: AccessList | undefined
  /** deepest frame, 0 for the message itself */
  readonly maxDepth: number
  /** whether any SSTORE ran, even in a failed frame */
  readonly storageWritten: boolean
  /** Calls to the watched address, even of failed frames; absent when there are none. */
  readonly watchedCalls?: WatchedCalls | undefined
}

export type ExecutionStatus =
  | { readonly kind: 'done'; readonly result: MessageResult }
  /** The slice is used up, or the hooks' output is full; call `resume` again. */
  | { readonly kind: 'paused' }
  /** Data is not in memory; load it, then call `resume` again. */
  | { readonly kind: 'missing'; readonly request: MissRequest }

/** A message being executed. It runs only during `resume` and can be abandoned at any time. */
export interface Execution {
  /**
   * Runs until done, until the slice is used up, or until data is missing. Returns the status itself, not a promise,
   * when the EVM answers synchronously.
   */
  resume(sliceMs: number): ExecutionStatus | Promise<ExecutionStatus>
  /**
   * Gives the message up: releases its memory and undoes its changes of the state, so that it can be started again. No
   * effect on one that is done. Absent: the EVM cannot do so.
   */
  abandon?(): void
}

export interface StartOptions {
  /** Fill `MessageResult.accessed`. */
  readonly collectAccessed?: boolean | undefined
  /** The message is part of a block: only the host bounds its memory. */
  readonly isBlock?: boolean | undefined
  /** Insert a log of 0xeeee… for every transfer of value (eth_simulateV1 `traceTransfers`). */
  readonly transferLogs?: boolean | undefined
  /** 20 bytes: calls to this address are recorded in `MessageResult.watchedCalls` while it has no code. */
  readonly watchedAddress?: Uint8Array | undefined
  /** The hooks of a tracer. */
  readonly hooks?: ExecutionHooks | undefined
}

export interface Evm {
  readonly name: 'reference' | 'native'
  /** Resolves once it can run messages. Absent: it can. */
  loaded?(): Promise<Evm>
  /** Runs messages of blocks that need more memory than this EVM can have. */
  readonly lastResort?: Evm | undefined
  start(message: Message, environment: ExecutionEnvironment, state: StateDB, options?: StartOptions): Execution
}
