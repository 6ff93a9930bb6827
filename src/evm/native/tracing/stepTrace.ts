import type { HaltReason } from '../../haltReason.ts'
import type { ExecutionHooks, StepRange } from '../../hooks.ts'
import {
  END_HALT,
  FRAME_GAS,
  HALT_INVALID_JUMP,
  HALT_OUT_OF_GAS,
  REQUEST_END,
  REQUEST_HALT,
  STATE_GAS_AFTER,
} from '../assembly/layout.ts'
import type { NativeInstance } from '../instance.ts'
import { HeaderView } from './headerView.ts'

/**
 * The steps of a message. A step is open from the exit before its opcode until an event shows its cost: the next step,
 * the start of a child or the end of the frame. An open step belongs to the running frame.
 */
export class StepTrace {
  readonly #instance: NativeInstance
  readonly #hooks: ExecutionHooks
  readonly #view: HeaderView
  readonly #hasEnds: boolean
  readonly #range: StepRange | undefined
  #isOpen = false
  /** Number of steps that had begun with the open one, if there is a range. */
  #count = 0
  /** Whether the host was asked about the opcode of the open step. */
  wasAsked = false
  #gasLow = 0
  #gasHigh = 0
  /** Gas of a frame that has returned, before it pays for code. */
  #gasLeft: number | undefined

  constructor(instance: NativeInstance, hooks: ExecutionHooks) {
    this.#instance = instance
    this.#hooks = hooks
    this.#view = new HeaderView(instance)
    this.#hasEnds = hasStepEnds(hooks)
    this.#range = hooks.range
  }

  /** EXIT_STEP */
  begin(): void {
    const frame = this.#instance.frame
    const view = this.#view
    this.#dropUnseen(1)
    if (this.#isOpen) {
      const cost = this.#used(frame + FRAME_GAS)
      view.show(frame)
      this.#isOpen = false
      this.#hooks.stepEnd?.(view, cost, 0, undefined)
    }
    view.beginStep(frame)
    if (this.#hasEnds) {
      this.#gasLow = this.#instance.u32(frame + FRAME_GAS)
      this.#gasHigh = this.#instance.i32(frame + FRAME_GAS + 4)
      this.#isOpen = this.#isSelected()
      this.wasAsked = false
    }
    this.#hooks.step?.(view)
  }

  /** Forgets an open step after which others have begun without a callback. @param begun number of steps since then */
  #dropUnseen(begun: 0 | 1): void {
    if (this.#range !== undefined && this.#range.count !== this.#count + begun) this.#isOpen = false
  }

  /** Whether the end of the step will be reported. */
  #isSelected(): boolean {
    const range = this.#range
    if (range === undefined) return true
    const hasIndex = range.count !== this.#count
    this.#count = range.count
    const { count, begin = 0, from, to } = range
    return hasIndex && count > from && count <= to && count > begin
  }

  /**
   * Ends the step because a child begins or was refused.
   * @param frame header of the caller
   * @param taken gas of the child that has already been deducted from the caller's gas
   * @param forwarded gas set aside for the child, without the stipend
   * @param left gas of the caller, when not all of the child's gas has been deducted
   */
  endBeforeChild(frame: number, taken: number, forwarded: number, left?: number): void {
    this.#dropUnseen(0)
    if (this.#isOpen) this.#end(frame, this.#used(frame + FRAME_GAS) - taken, forwarded, undefined, left)
  }

  /** Cost of the last opcode of the running frame; must be called before the host handles the frame's end. */
  lastCost(): number {
    const instance = this.#instance
    this.#gasLeft = undefined
    this.#dropUnseen(0)
    if (!this.#isOpen) return 0
    if (instance.u32(REQUEST_END) !== END_HALT) {
      this.#gasLeft = Number(instance.i64(instance.frame + FRAME_GAS))
      return this.#used(instance.frame + FRAME_GAS)
    }
    const halt = instance.u32(REQUEST_HALT)
    return halt === HALT_OUT_OF_GAS || halt === HALT_INVALID_JUMP ? this.#used(STATE_GAS_AFTER) : 0
  }

  /** The opcode of the open step, if the running frame ran out of gas at it before asking the host. */
  get unpaidOpcode(): number | undefined {
    const instance = this.#instance
    const isUnpaid = instance.u32(REQUEST_END) === END_HALT && instance.u32(REQUEST_HALT) === HALT_OUT_OF_GAS
    return this.#isOpen && isUnpaid && !this.wasAsked ? this.#view.opcode : undefined
  }

  /** Ends the step because the running frame ends. */
  endLast(cost: number, halt: HaltReason | undefined): void {
    if (this.#isOpen) this.#end(this.#instance.frame, cost, 0, halt, this.#gasLeft)
  }

  #end(frame: number, cost: number, forwarded: number, halt: HaltReason | undefined, gas?: number): void {
    this.#isOpen = false
    this.#view.show(frame, gas)
    this.#hooks.stepEnd?.(this.#view, cost, forwarded, halt)
  }

  /**
   * Exact even when the gas itself exceeds the integers that a number can hold.
   * @param gasAt pointer to an i64
   */
  #used(gasAt: number): number {
    const high = this.#gasHigh - this.#instance.i32(gasAt + 4)
    return Math.min(high * 2 ** 32 + this.#gasLow - this.#instance.u32(gasAt), Number.MAX_SAFE_INTEGER)
  }
}

export function hasSteps(hooks: ExecutionHooks): boolean {
  return hooks.range !== undefined || hooks.step !== undefined || hasStepEnds(hooks)
}

export function hasStepEnds({ stepEnd, opcodes, range }: ExecutionHooks): boolean {
  return stepEnd !== undefined && (opcodes === undefined || range !== undefined)
}
