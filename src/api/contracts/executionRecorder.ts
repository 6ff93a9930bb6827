/**
 * Executes something again to record its calls, and the lines of its failure as far as sources are known.
 * @module
 */
import type { Artifact } from '../../abi/artifact.ts'
import { CallRecorder, type OnExecuted } from '../../abi/callRecorder.ts'
import type { ContractKnowledge } from '../../abi/contractKnowledge.ts'
import type { CodeKnowledge, FailedCall } from '../../abi/source/failureRecorder.ts'
import { callFrame, type StackFrame, stackFrames } from '../../abi/source/stackTrace.ts'

/** A call on the way to a failure. */
export interface TracedCall {
  readonly artifact: Artifact | undefined
  /** Innermost first; empty where no line is known. */
  readonly frames: readonly StackFrame[]
  /** The beginning of the called function or of its contract, in place of lines. */
  readonly called: StackFrame | undefined
  /** Whether it was refused before anything ran, such as for lack of ether. */
  readonly isRefused: boolean
}

export type Execution = (recorder: CallRecorder) => Promise<void>

export class ExecutionRecorder {
  readonly #known: Pick<ContractKnowledge, 'names' | 'sources'>
  readonly #warn: (line: string) => void
  readonly #knowledge: CodeKnowledge = {
    artifactOf: (code, isCreation) => (isCreation ? this.#known.names.created(code) : this.#known.names.ofCode(code)),
    mapOf: (artifact, isCreation, code) => this.#known.sources?.mapOf(artifact, isCreation, code),
  }

  /** @param warn is called with each new problem of the ABI folders */
  constructor(known: Pick<ContractKnowledge, 'names' | 'sources'>, warn: (line: string) => void) {
    this.#known = known
    this.#warn = warn
  }

  /** Executes once, and again when a failure shows that further files or sources are needed. */
  async record(execute: Execution, onExecuted?: OnExecuted): Promise<CallRecorder> {
    let recorder = await this.#recorded(execute, onExecuted)
    if (await this.#hasNewFiles(recorder)) recorder = await this.#recorded(execute, onExecuted)
    // Which sources are needed is known after an execution.
    if (await this.#hasNewSources(recorder)) recorder = await this.#recorded(execute, onExecuted)
    return recorder
  }

  /** The lines of a call that failed. */
  traced(call: FailedCall): TracedCall {
    const { artifact } = call
    const isRefused = call.outcome === 'refused'
    const found = artifact && this.#known.sources?.sourcesOf(artifact)
    if (found === undefined || found === 'unread') return { artifact, frames: [], called: undefined, isRefused }
    const frames = stackFrames(call, found)
    const called = frames.length === 0 && !isRefused ? callFrame(call, found) : undefined
    return { artifact, frames, called, isRefused }
  }

  async #recorded(execute: Execution, onExecuted: OnExecuted | undefined): Promise<CallRecorder> {
    const recorder = new CallRecorder(this.#known.sources && this.#knowledge, onExecuted)
    await execute(recorder)
    return recorder
  }

  /** A failure in an unknown contract: it may have been compiled just now. */
  async #hasNewFiles({ failed }: CallRecorder): Promise<boolean> {
    const { names } = this.#known
    if (failed.every(({ artifact }) => artifact !== undefined) || !names.isRefreshDue) return false
    const { index } = names
    for (const problem of await names.refresh()) this.#warn(problem)
    return names.index !== index
  }

  async #hasNewSources({ failed }: CallRecorder): Promise<boolean> {
    const { sources } = this.#known
    if (sources === undefined) return false
    const unread = new Set<Artifact>()
    for (const { artifact } of failed) {
      if (artifact !== undefined && sources.sourcesOf(artifact) === 'unread') unread.add(artifact)
    }
    if (unread.size === 0) return false
    for (const problem of await sources.load(unread)) this.#warn(problem)
    return [...unread].some((artifact) => sources.sourcesOf(artifact) !== undefined)
  }
}
