/**
 * Steps of one execution by their index, found by running it again instead of storing a trace.
 *
 * A step is one executed opcode. Indexes begin at 0 and follow the order of debug_traceTransaction in the format of
 * go-ethereum. Every run of a target has the same steps, so an index names a moment of the execution.
 * @module
 */
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'

/** A call or creation of the execution. */
export interface StepCall {
  /** Number of calls and creations that began before it; the same in every run. */
  readonly id: number
  /** undefined for the message itself */
  readonly parent: StepCall | undefined
  /** After `enter`, the input may be cut (MAX_OPEN_INPUT_BYTES). */
  readonly start: CallStart
  /** Bytes of the whole input. */
  readonly inputLength: number
  /** Index of its first step, if it runs code. */
  readonly firstStep: number
}

/** The state before the opcode of a step. Valid until the callback returns. */
export interface StepView {
  readonly index: number
  readonly frame: FrameView
  readonly call: StepCall
}

/** A step that was found. */
export interface StepPosition {
  readonly index: number
  readonly pc: number
  readonly opcode: number
  /** 0 for the message itself */
  readonly depth: number
  /** StepCall.id */
  readonly call: number
}

/**
 * The conditions of a search. All conditions of a search must hold for the same step; an absent member does not restrict
 * it. A condition serves one search.
 *
 * `opcodes`, `positions` and `suits` decide which steps are seen at all: the others run without a callback, hundreds
 * of times as fast. A condition with `hasHistory` sees all steps that these three select, from the first step on, and
 * `enter` and `exit` of all calls; others see only steps that may match.
 */
export interface StepCondition {
  /** The only step that may match, where it is known: one with index -1 for none. */
  readonly position?: StepPosition
  /** 256 flags: the opcodes of steps that may match; undefined: all. */
  readonly opcodes?: Uint8Array | undefined
  /** Whether `step` must see steps outside the bounds of the search. */
  readonly hasHistory?: boolean
  /** Whether steps in this call may match, not counting those of the calls that it makes. */
  suits?(call: StepCall): boolean
  /**
   * Positions of steps that may match, as in ExecutionHooks; undefined: all. Return the same array for the same code.
   * @param code of the call, valid until the callback returns
   */
  positions?(call: StepCall, code: Uint8Array): Uint8Array | undefined
  /** Judges a step before its opcode. */
  step?(step: StepView): boolean
  /** Judges the call or creation that the step begins; with it, only steps that begin one match. */
  begins?(call: StepCall): boolean
  /** Judges the end of a call by the step; with it, only steps that end one match. */
  ends?(call: StepCall, end: CallEnd): boolean
  /** Follows the calls, the first one included, whether or not they suit. */
  enter?(call: StepCall): void
  exit?(call: StepCall, end: CallEnd): void
}

/** The steps among which a search looks: those between two indexes, both excluded. */
export interface SearchBounds {
  /** -1 for all from the first step */
  readonly after: number
  /** undefined for all to the last step */
  readonly before: number | undefined
  readonly takes: 'first' | 'last'
}

/** Hooks that observe an execution up to a step. Callbacks see what happens before that step, and nothing later. */
export type StepRecorder = Pick<
  ExecutionHooks,
  'opcodes' | 'positions' | 'enter' | 'exit' | 'step' | 'log' | 'selfDestruct'
>

/** Facts that are known once an execution has ended. */
export interface RunSummary {
  /** Number of steps. */
  readonly total: number
  readonly isFailed: boolean
  /** Where the failure began; undefined after success, or when no step ran. */
  readonly failure: StepPosition | undefined
}
