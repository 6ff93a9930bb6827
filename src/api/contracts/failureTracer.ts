/**
 * Executes failures again to find the calls that led to them, and with sources the lines.
 * @module
 */

import { silentCause } from '../../abi/source/silentCause.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { CallFrame } from '../../tracing/geth/callTree.ts'
import type { NotedCall } from '../calls/notes.ts'
import type { Execution, ExecutionRecorder, TracedCall } from './executionRecorder.ts'

export interface FailureTrace {
  readonly root: CallFrame
  /** Outermost first. Empty after success, and without `--abi`. */
  readonly calls: readonly TracedCall[]
  /** Why a revert without data happened; undefined when it is not known. */
  readonly cause: string | undefined
}

/** A trace that was asked for. */
interface KeptTrace {
  readonly pending: Promise<FailureTrace | undefined>
  /** undefined until it is known */
  trace: FailureTrace | undefined
}

/** Transactions whose traces are kept for the log. */
const MAX_TRANSACTIONS = 32

export class FailureTracer {
  readonly #recorder: ExecutionRecorder
  readonly #calls = new WeakMap<NotedCall, KeptTrace>()
  readonly #transactions = new Map<string, KeptTrace>()

  constructor(recorder: ExecutionRecorder) {
    this.#recorder = recorder
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
      const { root, failed } = await this.#recorder.record(execute)
      const last = failed.at(-1)
      const calls = failed.map((call) => this.#recorder.traced(call))
      return root && { root, calls, cause: last && silentCause(last) }
    } catch {
      return undefined
    }
  }
}

function keyOf({ hash }: ChainHeader, index: number): string {
  return `${bytesToHex(hash)} ${index}`
}
