import type { CallEnd, CallStart, ExecutionHooks, FrameView, StepRange } from '../../evm/hooks.ts'
import type { TraceBegin, TraceEnd, Tracer } from '../contract.ts'
import { CallStack } from './callStack.ts'
import type { StepCall, StepView } from './contract.ts'
import type { StepExecution } from './execution.ts'

/** Greater than any index; the sum with an index is exact. */
export const NO_STEP: number = 2 ** 52

/** Ends an execution before its end, when a run has seen enough. */
class Stop extends Error {}

/**
 * One run of a target, which a subclass watches. It follows the calls and may stop before any step.
 *
 * The hooks of steps are chosen by the subclass: few callbacks make a fast run.
 */
export abstract class StepPass implements Tracer {
  readonly range: StepRange
  readonly calls: CallStack = new CallStack()
  #context: TraceBegin | undefined
  #end: TraceEnd | undefined
  readonly #view: { index: number; frame: FrameView; call: StepCall } = {
    index: 0,
    frame: undefined as unknown as FrameView,
    call: undefined as unknown as StepCall,
  }

  /** @param begin index of the first step that a hook may see */
  constructor(begin = 0) {
    this.range = { count: 0, begin, from: NO_STEP, to: NO_STEP }
  }

  abstract get hooks(): ExecutionHooks

  begin(context: TraceBegin): void {
    this.#context = context
  }

  end(outcome: TraceEnd): void {
    this.#end = outcome
  }

  /** @throws TypeError before the execution has begun */
  get context(): TraceBegin {
    if (this.#context === undefined) throw new TypeError('the execution has not begun')
    return this.#context
  }

  /** undefined when the run was stopped */
  get outcome(): TraceEnd | undefined {
    return this.#end
  }

  /** Index of the step that has begun last; -1 before the first one. */
  get index(): number {
    return this.range.count - 1
  }

  /** Runs the target until its end or until {@link stop}. */
  async run(execute: StepExecution): Promise<void> {
    try {
      await execute(this)
    } catch (error) {
      if (!(error instanceof Stop)) throw error
    }
  }

  /** Ends the run; nothing after it is seen. Call it in a callback of a hook. */
  protected stop(): never {
    throw new Stop('the run has seen enough')
  }

  protected enterCall(start: CallStart): StepCall {
    return this.calls.enter(start, this.range.count)
  }

  /** The step that has begun; the object is reused. */
  protected viewOf(frame: FrameView): StepView {
    const view = this.#view
    view.index = this.index
    view.frame = frame
    view.call = this.calls.last as StepCall
    return view
  }
}

/** Whether the step has no index: the only one of an empty init code. */
export function isUncounted({ opcode, code }: FrameView): boolean {
  return opcode === 0x00 && code.length === 0
}

/** Whether a call ended by a failure. */
export function isFailure({ outcome }: CallEnd): boolean {
  return outcome !== 'success'
}
