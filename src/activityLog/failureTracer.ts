/**
 * Executes failures again to find the calls that led to them, and with sources the lines.
 * @module
 */
import type { NotedCall } from '../api/calls/notes.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { CallFrame } from '../tracing/geth/callTree.ts'
import type { Artifact } from './abi/artifact.ts'
import { CallRecorder } from './callPath.ts'
import type { ContractNames } from './contractNames.ts'
import type { CodeKnowledge, FailedCall } from './source/failureRecorder.ts'
import { silentCause } from './source/silentCause.ts'
import type { SourceLibrary } from './source/sourceLibrary.ts'
import { callFrame, type StackFrame, stackFrames } from './source/stackTrace.ts'

/** A call on the way to a failure. */
export interface TracedCall {
  readonly artifact: Artifact | undefined
  /** Innermost first; empty where no line is known. */
  readonly frames: readonly StackFrame[]
  /** The beginning of the called function or of its contract, in place of lines. */
  readonly called: StackFrame | undefined
}

export interface FailureTrace {
  readonly root: CallFrame
  /** Outermost first. Empty after success, and without `--abi`. */
  readonly calls: readonly TracedCall[]
  /** Why a revert without data happened; undefined when it is not known. */
  readonly cause: string | undefined
}

type Execution = (recorder: CallRecorder) => Promise<void>

/** A trace that was asked for. */
interface KeptTrace {
  readonly pending: Promise<FailureTrace | undefined>
  /** undefined until it is known */
  trace: FailureTrace | undefined
}

/** Transactions whose traces are kept for the log. */
const MAX_TRANSACTIONS = 32

export class FailureTracer {
  readonly #names: ContractNames
  readonly #sources: SourceLibrary | undefined
  readonly #warn: (line: string) => void
  readonly #calls = new WeakMap<NotedCall, KeptTrace>()
  readonly #transactions = new Map<string, KeptTrace>()
  readonly #knowledge: CodeKnowledge = {
    artifactOf: (code, isCreation) => (isCreation ? this.#names.created(code) : this.#names.ofCode(code)),
    mapOf: (artifact, isCreation, code) => this.#sources?.mapOf(artifact, isCreation, code),
  }

  /** @param sources undefined without `--abi` */
  constructor(names: ContractNames, sources: SourceLibrary | undefined, warn: (line: string) => void) {
    this.#names = names
    this.#sources = sources
    this.#warn = warn
  }

  /** @returns what is known without another execution */
  knownCall(call: NotedCall): FailureTrace | undefined {
    return this.#calls.get(call)?.trace
  }

  /** Like `knownCall`. @param index of the transaction in the block */
  knownTransaction(block: ChainHeader, index: number): FailureTrace | undefined {
    return this.#transactions.get(keyOf(block, index))?.trace
  }

  /** @returns undefined when the execution cannot be repeated within its limits */
  call(call: NotedCall): Promise<FailureTrace | undefined> {
    let kept = this.#calls.get(call)
    if (kept === undefined) {
      kept = this.#kept((recorder) => call.trace(recorder))
      this.#calls.set(call, kept)
    }
    return kept.pending
  }

  /** Like `call`. @param index of the transaction in the block */
  transaction(block: ChainHeader, index: number, execute: Execution): Promise<FailureTrace | undefined> {
    const key = keyOf(block, index)
    let kept = this.#transactions.get(key)
    if (kept === undefined) {
      kept = this.#kept(execute)
      this.#transactions.set(key, kept)
      const [oldest] = this.#transactions.keys()
      if (this.#transactions.size > MAX_TRANSACTIONS && oldest !== undefined) this.#transactions.delete(oldest)
    }
    return kept.pending
  }

  #kept(execute: Execution): KeptTrace {
    const kept: KeptTrace = { pending: this.#trace(execute), trace: undefined }
    void kept.pending.then((trace) => {
      kept.trace = trace
    })
    return kept
  }

  async #trace(execute: Execution): Promise<FailureTrace | undefined> {
    try {
      let recorder = await this.#recorded(execute)
      if (await this.#hasNewFiles(recorder)) recorder = await this.#recorded(execute)
      // Which sources are needed is known after an execution.
      if (await this.#hasNewSources(recorder)) recorder = await this.#recorded(execute)
      return this.#traceOf(recorder)
    } catch {
      return undefined
    }
  }

  async #recorded(execute: Execution): Promise<CallRecorder> {
    const recorder = new CallRecorder(this.#sources && this.#knowledge)
    await execute(recorder)
    return recorder
  }

  /** A failure in an unknown contract: it may have been compiled just now. */
  async #hasNewFiles({ failed }: CallRecorder): Promise<boolean> {
    if (failed.every(({ artifact }) => artifact !== undefined) || !this.#names.isRefreshDue) return false
    const { index } = this.#names
    for (const problem of await this.#names.refresh()) this.#warn(problem)
    return this.#names.index !== index
  }

  async #hasNewSources({ failed }: CallRecorder): Promise<boolean> {
    const sources = this.#sources
    if (sources === undefined) return false
    const unread = new Set<Artifact>()
    for (const { artifact } of failed) {
      if (artifact !== undefined && sources.sourcesOf(artifact) === 'unread') unread.add(artifact)
    }
    if (unread.size === 0) return false
    for (const problem of await sources.load(unread)) this.#warn(problem)
    return [...unread].some((artifact) => sources.sourcesOf(artifact) !== undefined)
  }

  #traceOf({ root, failed }: CallRecorder): FailureTrace | undefined {
    const last = failed.at(-1)
    return root && { root, calls: failed.map((call) => this.#traced(call)), cause: last && silentCause(last) }
  }

  #traced(call: FailedCall): TracedCall {
    const { artifact } = call
    const found = artifact && this.#sources?.sourcesOf(artifact)
    if (found === undefined || found === 'unread') return { artifact, frames: [], called: undefined }
    const frames = stackFrames(call, found)
    return { artifact, frames, called: frames.length === 0 ? callFrame(call, found) : undefined }
  }
}

function keyOf({ hash }: ChainHeader, index: number): string {
  return `${bytesToHex(hash)} ${index}`
}
