/**
 * What a tracer can see of a running message. An engine calls these and knows no tracer; a message without hooks pays
 * nothing for them.
 *
 * Accesses of storage, balances and code have no hooks of their own: they are steps of the opcodes that make them, which
 * `opcodes` picks out. Transactions and blocks begin and end outside of the engine (tracing/).
 * @module
 */
import type { Log } from '../types/receipt.ts'
import type { HaltReason } from './evm.ts'

export type CallKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2'

/** Why an attempt to call or create never began; the caller keeps the gas. */
export type RefusalReason = 'DEPTH' | 'INSUFFICIENT_BALANCE' | 'NONCE_OVERFLOW'

/**
 * A call or creation begins: the message itself, or what an opcode of a frame asks for. The engine may have moved its value
 * already.
 */
export interface CallStart {
  readonly kind: CallKind
  /** 0 for the message itself */
  readonly depth: number
  /** CALLER inside, 20 bytes */
  readonly caller: Uint8Array
  /** ADDRESS inside, 20 bytes: whose storage and balance it works on; the new contract of a creation */
  readonly address: Uint8Array
  /** The account asked for, 20 bytes: other than `address` under CALLCODE and DELEGATECALL */
  readonly target: Uint8Array
  /** CALLVALUE inside, wei: under DELEGATECALL the caller's own, and nothing moves */
  readonly value: bigint
  /** What it may use, a stipend included; the message's own for depth 0. */
  readonly gas: number
  /** Call data, or init code. */
  readonly input: Uint8Array
  /** `nothing`: the account has no code, or it never came to run: refused, an address that is taken. */
  readonly runs: 'code' | 'precompile' | 'nothing'
}

/** The opcode that made a frame halt, as it stood before it ran. */
export interface HaltPlace {
  readonly pc: number
  readonly opcode: number
  readonly stackSize: number
}

/** It is over. Calls end in the reverse order of their starts. */
export interface CallEnd {
  readonly depth: number
  readonly outcome: 'success' | 'revert' | 'halt' | 'refused'
  /** with `halt` */
  readonly halt?: HaltReason
  /** with `halt`, when an opcode was the cause */
  readonly haltPlace?: HaltPlace
  /** with `refused` */
  readonly refusal?: RefusalReason
  /** A creation whose init code ran, but whose code could not be paid for or is not allowed. */
  readonly atDeposit: boolean
  /** Before refunds; all of it after a halt. The deposit of a creation is in it. */
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
  /** wei that moves */
  readonly balance: bigint
}

/** The running frame. One object stands for all of them: everything of it is good until the callback returns. */
export interface FrameView {
  readonly depth: number
  /** That of the step, also in `stepEnd`. */
  readonly pc: number
  /** At `pc`; 0x00 beyond the end of the code. */
  readonly opcode: number
  /** In `stepEnd` what is left; 0 when the frame halted. */
  readonly gas: number
  /** refund counter, may be below 0 inside a frame */
  readonly refund: number
  /** 20 bytes */
  readonly address: Uint8Array
  /** 20 bytes: whose code runs, or who was asked for it (EIP-7702) */
  readonly target: Uint8Array
  readonly code: Uint8Array
  readonly stackSize: number
  /** All words, bottom first, 32 bytes each, the least significant byte first. */
  readonly stack: Uint8Array
  /** Length is a multiple of 32. */
  readonly memory: Uint8Array
  readonly returnData: Uint8Array
}

/** All optional. What they throw ends the message; they may not change the state. */
export interface ExecutionHooks {
  /** 256 flags: the opcodes that `step` is called for. Absent: all; only then is `stepEnd` called. */
  readonly opcodes?: Uint8Array
  enter?(call: CallStart): void
  exit?(end: CallEnd): void
  /** Before an opcode; also before the STOP beyond the end of the code, and before one that will halt. */
  step?(frame: FrameView): void
  /**
   * After the opcode: after a call or creation before its child begins. The operands of one that calls, creates, halts or
   * ends its frame still stand on the stack.
   * @param cost gas of the opcode itself, without what is handed to a child; of one that ran out of gas what it would have
   * cost, as far as that was known, and Number.MAX_SAFE_INTEGER for memory that no gas pays for; of one that halted for
   * another reason 0, except for a bad jump
   * @param forwarded gas set aside for a child, without the stipend
   */
  stepEnd?(frame: FrameView, cost: number, forwarded: number, halt: HaltReason | undefined): void
  log?(log: Log, depth: number): void
  /** Comes before the end of the frame. */
  selfDestruct?(event: SelfDestructEvent): void
  /** True: the engine pauses before the next step; the driver waits for `drained`. */
  isFull?(): boolean
  /** Resolved when there is room again; rejected when nobody takes the output any more. */
  drained?(): Promise<void>
}
