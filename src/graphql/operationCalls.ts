import type { CallInput, CallLimits, CallOutcome, MessageSimulator } from '../api/calls/contract.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { TimeSlicer } from '../base/ports/yieldToHost.ts'
import type { AbortState } from '../evm/driver.ts'

/** The calls of one operation, one at a time: their waits for data that are far away are counted and bounded together. */
export class OperationCalls implements MessageSimulator {
  readonly #calls: MessageSimulator
  #loads: Residency | undefined

  constructor(calls: MessageSimulator) {
    this.#calls = calls
  }

  /** Waits so far, milliseconds. */
  get waitedMs(): number {
    return this.#loads?.waitedMs ?? 0
  }

  limits(signal: AbortState | undefined, timeoutMs: number): CallLimits {
    const limits = this.#calls.limits(signal, timeoutMs)
    this.#loads ??= limits.loads
    // Earlier waits do not extend this deadline.
    return { ...limits, deadline: limits.deadline - this.waitedMs, loads: this.#loads }
  }

  slicer(): TimeSlicer | undefined {
    return this.#calls.slicer()
  }

  run(input: CallInput): CallOutcome | Promise<CallOutcome> {
    return this.#calls.run(input)
  }
}
