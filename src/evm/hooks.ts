/**
 * The view that tracers have of a running message. The EVM calls these hooks without knowing any tracer; a message
 * without hooks has no overhead.
 *
 * Accesses of storage, balances and code have no separate hooks: they are steps of the opcodes that make them, which
 * `opcodes` selects. Transactions and blocks begin and end outside the EVM (tracing/).
 * @module
 */
import type { Log } from '../types/receipt.ts'
import type { HaltReason } from './haltReason.ts'

export type CallKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2'

/** Why a call or creation never began; the caller keeps the gas. */
export type RefusalReason = 'DEPTH' | 'INSUFFICIENT_BALANCE' | 'NONCE_OVERFLOW'

/**
 * The start of a call or creation: the message itself, or one requested by an opcode. The EVM may have moved its value
 * already.
 */
export interface CallStart {
  readonly kind: CallKind
  /** 0 for the message itself */
  readonly depth: number
  /** CALLER within the frame, 20 bytes */
  readonly caller: Uint8Array
  /**
   * ADDRESS within the frame, 20 bytes: the account whose storage and balance it accesses; the new contract of a
   * creation
   */
  readonly address: Uint8Array
  /** The requested account, 20 bytes; differs from `address` under CALLCODE and DELEGATECALL */
  readonly target: Uint8Array
  /** CALLVALUE within the frame, wei; under DELEGATECALL the caller's value, which is not transferred */
  readonly value: bigint
  /** Available gas including a stipend; at depth 0, the gas of the message. */
  readonly gas: number
  /** Call data, or init code. */
  readonly input: Uint8Array
  /** `nothing`: the account has no code, or nothing ran because of a refusal or an address collision. */
  readonly runs: 'code' | 'precompile' | 'nothing'
}

/** The opcode that made a frame halt, with its state before it ran. */
export interface HaltLocation {
  readonly pc: number
  readonly opcode: number
  readonly stackSize: number
}

/** The end of a call or creation. Calls end in the reverse order of their starts. */
export interface CallEnd {
  readonly depth: number
  readonly outcome: 'success' | 'revert' | 'halt' | 'refused'
  /** with `halt` */
  readonly halt?: HaltReason
  /** with `halt`, if an opcode caused it */
  readonly haltPlace?: HaltLocation
  /** with `refused` */
  readonly refusal?: RefusalReason
  /** Whether the init code of a creation ran, but its code could not be paid for or is not allowed. */
  readonly atDeposit: boolean
  /**
   * The code that a creation returned and did not get. Before Homestead (EIP-2), a creation that cannot pay for its
   * code succeeds without it.
   */
  readonly refusedCode?: Uint8Array | undefined
  /** Before refunds; all gas after a halt. Includes the code deposit of a creation. */
  readonly gasUsed: number
  /** Return data, revert data, or the deployed code. */
  readonly output: Uint8Array
}

export interface SelfDestructEvent {
  readonly depth: number
  /** 20 bytes */
  readonly address: Uint8Array
  /** 20 bytes */
  readonly beneficiary: Uint8Array
  /** transferred wei */
  readonly balance: bigint
}

/** The running frame. The same object is reused for all frames; its values are valid until the callback returns. */
export interface FrameView {
  readonly depth: number
  /** Position of the step, also in `stepEnd`. */
  readonly pc: number
  /** The opcode at `pc`; 0x00 after the end of the code. */
  readonly opcode: number
  /** In `stepEnd` the remaining gas; 0 when the frame halted. */
  readonly gas: number
  /** refund counter; may be negative inside a frame */
  readonly refund: number
  /** 20 bytes */
  readonly address: Uint8Array
  /** 20 bytes: the account whose code runs, or the delegating account (EIP-7702) */
  readonly target: Uint8Array
  readonly code: Uint8Array
  readonly stackSize: number
  /** All words, bottom first, 32 bytes each, little-endian. */
  readonly stack: Uint8Array
  /** Length is a multiple of 32. */
  readonly memory: Uint8Array
  readonly returnData: Uint8Array
}

/**
 * Selects steps by their index. The EVM counts the others without a callback, so a tracer that wants few steps of many
 * costs little. The only step of a frame without code, an empty init code, has no index.
 */
export interface StepRange {
  /** Number of steps that have begun; written by the EVM before each callback. */
  count: number
  /** Steps before this index are not selected, neither here nor by `opcodes` and `positions`. Default: 0. */
  readonly begin?: number
  /** Index of the first selected step. The tracer may change it in any callback, for the steps that follow. */
  from: number
  /** Index after the last selected step. The tracer may change it as well. */
  to: number
}

/** Hooks of a tracer, all optional. An exception ends the message. Hooks must not change the state. */
export interface ExecutionHooks {
  /** 256 flags: the opcodes for which `step` is called; all when absent. With flags, `stepEnd` is never called. */
  readonly opcodes?: Uint8Array
  /**
   * With a range, `step` is called for its steps and for those of `opcodes`, which then selects none when absent.
   * `stepEnd` is called for steps of the range that end before a step outside it begins.
   */
  readonly range?: StepRange
  /**
   * Selects positions in the code of a frame, in addition to `opcodes` and `range`. Called after `enter`, if there is a
   * range.
   * @returns one bit for each byte of code, bit `i & 7` of byte `i >> 3`; may be shorter than the code. undefined: none
   */
  positions?(call: CallStart, code: Uint8Array): Uint8Array | undefined
  enter?(call: CallStart): void
  exit?(end: CallEnd): void
  /** Called before an opcode, including the implicit STOP after the end of the code and opcodes that will halt. */
  step?(frame: FrameView): void
  /**
   * Called after an opcode; for a call or creation, before its child begins. When the opcode calls, creates, halts or
   * ends its frame, its operands are still on the stack.
   * @param cost gas of the opcode itself, without gas for a child. After running out of gas: the cost as far as it was
   *   known, or Number.MAX_SAFE_INTEGER when no gas pays for the memory. After another halt: 0, except for a bad jump
   * @param forwarded gas set aside for a child, without the stipend
   */
  stepEnd?(frame: FrameView, cost: number, forwarded: number, halt: HaltReason | undefined): void
  log?(log: Log, depth: number): void
  /** Called before the end of the frame. */
  selfDestruct?(event: SelfDestructEvent): void
  /** When true, the EVM pauses before the next step, and the driver waits for `drained`. */
  isFull?(): boolean
  /** Resolves when output is accepted again; rejects when its reader is gone. */
  drained?(): Promise<void>
}
