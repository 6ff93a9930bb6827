import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import type { TraceBegin } from '../contract.ts'
import type { StepRecorder, StepView } from './contract.ts'
import type { StepExecution } from './execution.ts'
import { isUncounted, StepPass } from './pass.ts'

const ALL_OPCODES: Uint8Array = new Uint8Array(256).fill(1)
const NO_OPCODES: Uint8Array = new Uint8Array(256)

/** Sees all steps from one on, which are few; the recorder may see those that it selects among all. */
export interface NearSteps {
  readonly from: number
  step(frame: FrameView): void
}

/** A run to one step, observed by a recorder on the way. */
class MomentPass<T> extends StepPass {
  readonly hooks: ExecutionHooks
  readonly #recorder: StepRecorder
  readonly #look: (step: StepView, context: TraceBegin) => T
  readonly #opcodes: Uint8Array
  readonly #target: number
  readonly #near: NearSteps | undefined
  seen: { readonly value: T } | undefined

  constructor(
    index: number,
    recorder: StepRecorder,
    look: (step: StepView, context: TraceBegin) => T,
    near: NearSteps | undefined,
  ) {
    super()
    this.#target = index
    this.#near = near
    this.#recorder = recorder
    this.#look = look
    const seesAll = recorder.step !== undefined && recorder.positions === undefined
    this.#opcodes = recorder.opcodes ?? (seesAll ? ALL_OPCODES : NO_OPCODES)
    this.range.from = Math.max(0, Math.min(index, near?.from ?? index))
    this.range.to = index + 1
    const { positions, log, selfDestruct } = recorder
    this.hooks = {
      range: this.range,
      opcodes: this.#opcodes,
      enter: (start) => this.#enter(start),
      exit: (end) => this.#exit(end),
      step: (frame) => this.#step(frame),
      ...(positions !== undefined && { positions: (call, code) => positions.call(recorder, call, code) }),
      ...(log !== undefined && { log: (entry, depth) => log.call(recorder, entry, depth) }),
      ...(selfDestruct !== undefined && { selfDestruct: (event) => selfDestruct.call(recorder, event) }),
    }
  }

  #enter(start: CallStart): void {
    this.enterCall(start)
    this.#recorder.enter?.(start)
  }

  #exit(end: CallEnd): void {
    this.calls.exit()
    this.#recorder.exit?.(end)
  }

  #step(frame: FrameView): void {
    if (isUncounted(frame)) return
    const { index } = this
    if (index === this.#target) {
      this.seen = { value: this.#look(this.viewOf(frame), this.context) }
      this.stop()
    }
    const isNear = index >= this.range.from
    if (isNear) this.#near?.step(frame)
    if (!isNear || this.#opcodes[frame.opcode] === 1) this.#recorder.step?.(frame)
  }
}

/**
 * Runs the target to a step and looks at it.
 * @param look must copy what it keeps
 * @returns undefined when the execution has no such step
 */
export async function momentOf<T>(
  execute: StepExecution,
  index: number,
  recorder: StepRecorder,
  look: (step: StepView, context: TraceBegin) => T,
  near?: NearSteps,
): Promise<T | undefined> {
  const pass = new MomentPass(index, recorder, look, near)
  await pass.run(execute)
  return pass.seen?.value
}
