/**
 * Tracers: what they are told of a transaction, and where their result goes.
 *
 * A tracer is a consumer of the engine's hooks (evm/hooks.ts) for one transaction, and writes one JSON value: while the
 * transaction runs, or at its end. tracing/replay.ts runs blocks and calls with tracers; rpc/ names them.
 * @module
 */
import type { ChainHeader } from '../chain/contract.ts'
import type { ForkRules } from '../config/forks.ts'
import type { BlockEnvironment, MessageResult } from '../evm/evm.ts'
import type { ExecutionHooks } from '../evm/hooks.ts'
import type { Account } from '../evm/stateDb.ts'
import type { JsonWriter } from '../primitives/jsonWriter.ts'
import type { MutableState } from '../state/contract.ts'
import type { Block } from '../types/block.ts'
import type { StateChange } from './stateChange.ts'

/** A state to look at. */
export interface StateView {
  getAccount(address: Uint8Array): Account | undefined
  getCode(address: Uint8Array): Uint8Array
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array
}

/** An account that the transaction has written to, and which of its slots. */
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
  /** undefined: a creation */
  readonly to: Uint8Array | undefined
  /** wei */
  readonly value: bigint
  readonly input: Uint8Array
  readonly gasLimit: bigint
  /** effective, wei */
  readonly gasPrice: bigint
  /** Gas taken before the message runs. */
  readonly intrinsicGas: bigint
  /** EIP-7702: signers of the authorizations, valid ones or not; 20 bytes each. */
  readonly authorities?: readonly Uint8Array[]
  /** Absent for a call that is not part of a block. */
  readonly position?: TransactionPosition
}

/** Where a transaction stands in its block. */
export interface TransactionPosition {
  /** 32 bytes */
  readonly blockHash: Uint8Array
  readonly index: number
  /** Logs of the transactions before it in the block. */
  readonly logsBefore: number
}

export interface TraceBegin {
  readonly transaction: TracedTransaction
  readonly rules: ForkRules
  readonly block: BlockEnvironment
  /** The state before the transaction, the fee not yet paid; good as long as the trace. */
  readonly before: StateView
  /** The state as it stands; at the end what the transaction made of it. */
  readonly now: StateView
}

export interface TraceEnd {
  readonly result: MessageResult
  /** After refunds: the receipt's. */
  readonly gasUsed: bigint
  /** Before refunds and without the floor of EIP-7623. */
  readonly gasUsedBeforeRefund: bigint
  /** Every account written to, unchanged ones among them, in the order of the first write. */
  readonly changed: readonly ChangedAccount[]
}

/** Traces one transaction and is thrown away. */
export interface Tracer {
  /** undefined: nothing of the execution itself is looked at. */
  readonly hooks: ExecutionHooks | undefined
  begin(context: TraceBegin): void
  /** May throw a miss as long as it has written nothing; it is called again then. */
  end(outcome: TraceEnd): void
}

/** Makes the tracer of one transaction, which writes exactly one JSON value. */
export type TracerFactory = (out: JsonWriter) => Tracer

/** What is traced of a block. */
export interface BlockTracePlan {
  /** @returns undefined: the transaction runs untraced */
  tracerFor(index: number): Tracer | undefined
  /** The transaction is over and its tracer has written its value. What it returns is waited for: the output may be full. */
  traced?(index: number): void | Promise<void>
  /** Transactions from this index on are not run. */
  readonly end?: number
}

/** When to give up. */
export interface TraceLimits {
  readonly signal: AbortSignal | undefined
  /** Wall-clock time of one transaction, milliseconds; undefined: any. Time in which the output is full does not count. */
  readonly timeoutMs: number | undefined
}

/** Runs stored blocks again, for tracers. Methods throw EXECUTION_TIMEOUT, EXECUTION_ABORTED, REPLAY_FAILED. */
export interface BlockTracing {
  /** Whether the state before the block is kept. */
  canTrace(header: ChainHeader): boolean
  /** Runs the transactions of a stored block in order. @throws {NodeError} WORLD_STATE_UNAVAILABLE unless `canTrace` */
  block(header: ChainHeader, plan: BlockTracePlan, limits: TraceLimits): Promise<void>
  /** The same for a block that need not be stored, on top of one that is. */
  blockOn(parent: ChainHeader, block: Block, plan: BlockTracePlan, limits: TraceLimits): Promise<void>
  /**
   * The state after the first `count` transactions of a stored block, what the block does before them included.
   * @throws {NodeError} WORLD_STATE_UNAVAILABLE unless `canTrace`
   */
  stateAfter(header: ChainHeader, count: number, limits: TraceLimits): Promise<ReplayedState>
}

export interface ReplayedState {
  readonly state: MutableState
  /** What led to it from the state after the parent, in order. */
  readonly changes: readonly StateChange[]
}
