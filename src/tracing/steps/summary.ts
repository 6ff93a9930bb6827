import { equalBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import type { CallEnd, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import { BOUNDARY_OPCODES, LastStep } from './boundaries.ts'
import type { RunSummary, StepPosition } from './contract.ts'
import type { StepExecution } from './execution.ts'
import { isFailure, isUncounted, StepPass } from './pass.ts'

/** A failed call and where its failure began. */
interface Failure {
  readonly at: StepPosition | undefined
  /** Its output, or the hash of a long one. */
  readonly output: Uint8Array
}

/** Outputs that are longer are compared by their hashes. */
const HASHED_OUTPUT_BYTES = 1024

/**
 * A run to the end that finds where a failure began: a call that fails with the output of the failed call before it
 * passes on that failure.
 */
class SummaryPass extends StepPass {
  readonly #last = new LastStep()
  /** Failures of the last call made by each open call, by depth. */
  readonly #failures: (Failure | undefined)[] = []
  #failure: Failure | undefined
  readonly hooks: ExecutionHooks = {
    range: this.range,
    opcodes: BOUNDARY_OPCODES,
    enter: (start) => {
      this.enterCall(start)
      this.#failures[start.depth] = undefined
    },
    exit: (end) => this.#exit(end),
    step: (frame) => this.#step(frame),
  }

  get summary(): RunSummary {
    const isFailed = this.outcome?.result.outcome !== 'success'
    return { total: this.range.count, isFailed, failure: this.#failure?.at }
  }

  #step(frame: FrameView): void {
    if (!isUncounted(frame)) this.#last.see(this.index, frame)
  }

  #exit(end: CallEnd): void {
    const call = this.calls.exit()
    const { depth } = end
    const inner = this.#failures[depth]
    if (isFailure(end)) {
      const output = digestOf(end.output)
      const isPassedOn = inner !== undefined && equalBytes(inner.output, output)
      this.#set(depth, { at: isPassedOn ? inner.at : this.#last.atEnd(this.index, call, end), output })
    } else if (call.start.runs !== 'nothing') {
      // A call of an account without code, as of console.log, does not handle an earlier failure.
      this.#set(depth, undefined)
    }
  }

  #set(depth: number, failure: Failure | undefined): void {
    if (depth === 0) this.#failure = failure
    else this.#failures[depth - 1] = failure
  }
}

function digestOf(output: Uint8Array): Uint8Array {
  return output.length > HASHED_OUTPUT_BYTES ? keccak256(output) : output
}

/** Runs the target to its end. */
export async function summaryOf(execute: StepExecution): Promise<RunSummary> {
  const pass = new SummaryPass()
  await pass.run(execute)
  return pass.summary
}
