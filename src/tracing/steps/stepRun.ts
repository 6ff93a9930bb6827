import type { TraceBegin } from '../contract.ts'
import type { RunSummary, SearchBounds, StepCondition, StepPosition, StepRecorder, StepView } from './contract.ts'
import type { StepExecution } from './execution.ts'
import { momentOf, type NearSteps } from './momentPass.ts'
import { recordedSteps, type StepWindow, type WindowRequest } from './recording.ts'
import { StepSearch } from './search.ts'
import type { SummaryPlace } from './summaries.ts'
import { summaryOf } from './summary.ts'

/** Numbers of steps before a bound that are searched first: a step that meets a wide condition is usually near. */
const NEAR_STEPS: readonly number[] = [2 ** 10, 2 ** 16]

/**
 * Questions about the steps of one execution. Each is answered by running the target again from its beginning, and no
 * further than needed; the EVM counts steps that nobody looks at, so a run costs a few nanoseconds for each of them.
 */
export class StepRun {
  readonly #execute: StepExecution
  readonly #kept: SummaryPlace

  /** @param kept where the summary of the target is kept for other requests */
  constructor(execute: StepExecution, kept: SummaryPlace = { summary: undefined }) {
    this.#execute = execute
    this.#kept = kept
  }

  /** Runs to the end, unless the summary is kept. */
  async summary(): Promise<RunSummary> {
    const summary = this.#kept.summary ?? (await summaryOf(this.#execute))
    this.#kept.summary = summary
    return summary
  }

  /** Consecutive steps with what the request asks for. */
  steps(request: WindowRequest): Promise<StepWindow> {
    return recordedSteps(this.#execute, request, this.#kept.summary)
  }

  /**
   * The first or the last step between the bounds for which all conditions hold.
   * @returns undefined when there is none
   */
  async find(conditions: readonly StepCondition[], bounds: SearchBounds): Promise<StepPosition | undefined> {
    for (const part of partsOf(conditions, bounds)) {
      const search = new StepSearch(conditions, part)
      if (!search.isDone) await search.run(this.#execute)
      if (search.found !== undefined) return search.found
    }
    return undefined
  }

  /**
   * Looks at the state before a step.
   * @param look must copy what it keeps
   * @param recorder observes the execution from its beginning to the step
   * @param near sees all of the last steps before the step
   * @returns undefined when the execution has no such step
   */
  at<T>(
    index: number,
    look: (step: StepView, context: TraceBegin) => T,
    recorder: StepRecorder = {},
    near?: NearSteps,
  ): Promise<T | undefined> {
    return momentOf(this.#execute, index, recorder, look, near)
  }
}

/** The bounds in parts, of which the first with a match has the result. A part costs a run, and its steps a callback each. */
function* partsOf(conditions: readonly StepCondition[], bounds: SearchBounds): Generator<SearchBounds> {
  const { after, before, takes } = bounds
  if (takes === 'first' || before === undefined || !conditions.every(judgesEachStep)) {
    yield bounds
    return
  }
  let end = before
  for (const count of NEAR_STEPS) {
    const start = end - 1 - count
    if (start <= after) break
    yield { after: start, before: end, takes }
    end = start + 1
  }
  yield { after, before: end, takes }
}

/** Whether the EVM can select no steps for it, and whether it can be asked again. */
function judgesEachStep(condition: StepCondition): boolean {
  const { opcodes, positions, position, begins, ends, enter, exit, hasHistory } = condition
  return (
    hasHistory !== true &&
    [opcodes, positions, position, begins, ends, enter, exit].every((member) => member === undefined)
  )
}
