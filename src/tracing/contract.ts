/**
 * Tracers: their input for each transaction, and the destination of their result.
 *
 * A tracer consumes the EVM's hooks (evm/hooks.ts) for one transaction and writes one JSON value, either while the
 * transaction runs or at its end. tracing/replay.ts runs blocks and calls with tracers; rpc/ selects them by name.
 * @module
 */

import type { AbortSignal } from '../base/ports/webTypes.ts'
import type { JsonWriter } from '../base/primitives/jsonWriter.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { ForkRules } from '../config/forks.ts'
import type { BlockEnvironment, MessageResult } from '../evm/evm.ts'
import type { ExecutionHooks } from '../evm/hooks.ts'
import type { Account } from '../evm/stateDb.ts'
import type { MutableState } from '../state/contract.ts'
import type { Block } from '../types/block.ts'
import type { StateChange } from './stateChange.ts'
import type { StepSummaries } from './steps/summaries.ts'

/** A read-only state. */
export interface TraceState {
  getAccount(address: Uint8Array): Account | undefined
  getCode(address: Uint8Array): Uint8Array
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array
}

/** An account that the transaction wrote to, with the written slots. */
export interface ChangedAccount {
  /** 20 bytes */
  readonly address: Uint8Array
  /** 32 bytes each, in the order of their first write */
  readonly slots: readonly Uint8Array[]
}

export interface TracedTransaction {
  /** undefined for a call that is not part of a block */
  readonly hash: Uint8Array | undefined
  /** 20 bytes */
  readonly from: Uint8Array
  /** undefined for a creation */
  readonly to: Uint8Array | undefined
  /** wei */
  readonly value: bigint
  readonly input: Uint8Array
  readonly gasLimit: bigint
  /** effective, wei */
  readonly gasPrice: bigint
  /** Gas charged before the message runs. */
  readonly intrinsicGas: bigint
  /** EIP-7702: signers of the authorizations, both valid and invalid; 20 bytes each. */
  readonly authorities?: readonly Uint8Array[]
  /** Absent for a call that is not part of a block. */
  readonly position?: TransactionPosition
}

/** The position of a transaction in its block. */
export interface TransactionPosition {
  /** 32 bytes */
  readonly blockHash: Uint8Array
  readonly index: number
  /** Number of logs of earlier transactions in the block. */
  readonly logsBefore: number
}

export interface TraceBegin {
  readonly transaction: TracedTransaction
  readonly rules: ForkRules
  readonly block: BlockEnvironment
  /** The state before the transaction, before the fee is paid; usable until the end of the trace. */
  readonly before: TraceState
  /** The current state; at the end, the state after the transaction. */
  readonly now: TraceState
}

export interface TraceEnd {
  readonly result: MessageResult
  /** After refunds, as in the receipt. */
  readonly gasUsed: bigint
  /** Before refunds and without the floor of EIP-7623. */
  readonly gasUsedBeforeRefund: bigint
  /** Every account written to, in the order of the first write, including those without a net change. */
  readonly changed: readonly ChangedAccount[]
}

/** Traces a single transaction. */
export interface Tracer {
  /** undefined when the tracer does not observe the execution */
  readonly hooks: ExecutionHooks | undefined
  begin(context: TraceBegin): void
  /** May throw a `StoreMiss` until it has written something; it is then called again. */
  end(outcome: TraceEnd): void
}

/** Creates the tracer of one transaction, which writes exactly one JSON value. */
export type TracerFactory = (out: JsonWriter) => Tracer

/** Selects what is traced in a block. */
export interface BlockTracePlan {
  /** @returns undefined to run the transaction untraced */
  tracerFor(index: number): Tracer | undefined
  /**
   * Called when the transaction is over and its tracer has written its value. The result is awaited, since the output
   * may be full.
   */
  traced?(index: number): void | Promise<void>
  /** The first transaction that is not executed. */
  readonly end?: number
}

/** Limits after which a trace is aborted. */
export interface TraceLimits {
  readonly signal: AbortSignal | undefined
  /**
   * Wall-clock time for one transaction, milliseconds; undefined for no limit. Time during which the output is full
   * does not count.
   */
  readonly timeoutMs: number | undefined
}

/** Executes stored blocks again for tracers. Methods throw EXECUTION_TIMEOUT, EXECUTION_ABORTED, REPLAY_FAILED. */
export interface BlockTracing {
  /** Of executions that are shown step by step. */
  readonly summaries: StepSummaries
  /** Whether the state before the block is available. */
  canTrace(header: ChainHeader): boolean
  /**
   * Executes the transactions of a stored block in order.
   * @throws {NodeError} WORLD_STATE_UNAVAILABLE unless `canTrace`
   */
  block(header: ChainHeader, plan: BlockTracePlan, limits: TraceLimits): Promise<void>
  /** Executes a block that need not be stored, on top of a stored parent. */
  blockOn(parent: ChainHeader, block: Block, plan: BlockTracePlan, limits: TraceLimits): Promise<void>
  /**
   * The state after the first `count` transactions of a stored block, including the changes that precede its
   * transactions.
   * @throws {NodeError} WORLD_STATE_UNAVAILABLE unless `canTrace`
   */
  stateAfter(header: ChainHeader, count: number, limits: TraceLimits): Promise<ReplayedState>
}

export interface ReplayedState {
  readonly state: MutableState
  /** The changes between the state after the parent and this state, in order. */
  readonly changes: readonly StateChange[]
}
