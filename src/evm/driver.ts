/**
 * Drives all executions: deadline, abort, fairness, back pressure and store misses, for calls, imports and traces
 * alike.
 * @module
 */

import { type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import type { AbortSignal } from '../base/ports/webTypes.ts'
import { executionAborted, executionTimeout } from './errors.ts'
import type { Evm, Execution, ExecutionEnvironment, Message, MessageResult, StartOptions } from './evm.ts'
import type { ExecutionScheduler } from './scheduler.ts'
import type { StateDB } from './stateDb.ts'

/** Whether and why the caller has given up: a subset of AbortSignal, which would be costly to create for each call. */
export type AbortState = Pick<AbortSignal, 'aborted' | 'reason'>

/** How an execution is driven: fairness, deadline, abort and loading from the store. */
export interface ExecutionControl {
  /** Yields to the event loop; without it, the message runs without interruption. */
  readonly scheduler?: ExecutionScheduler | undefined
  /** Longest wall-clock time since the call, milliseconds, not counting waits for full output. Requires a scheduler. */
  readonly deadlineMs?: number | undefined
  readonly signal?: AbortState | undefined
  /** Loads data that a store does not hold in memory. */
  readonly residency?: Residency | undefined
}

export interface RunOptions extends ExecutionControl, StartOptions {}

/**
 * Runs one message to its end.
 * @returns the result; synchronously when the EVM answers synchronously
 * @throws {NodeError} EXECUTION_TIMEOUT, EXECUTION_ABORTED; the state is then unusable, because the message is
 *   incomplete
 * @throws {StoreMiss} when data is not in memory and there is no `residency`
 */
export function runMessage(
  evm: Evm,
  message: Message,
  environment: ExecutionEnvironment,
  state: StateDB,
  options: RunOptions = {},
): MessageResult | Promise<MessageResult> {
  const { scheduler, deadlineMs, signal } = options
  if (signal?.aborted === true) throw executionAborted(signal.reason)
  const execution = evm.start(message, environment, state, options)
  const turn = new ExecutionSlice(scheduler, deadlineMs)
  let waits = false
  try {
    const status = execution.resume(turn.left())
    if (!(status instanceof Promise) && status.kind === 'done') return status.result
    waits = true
    return drive(execution, status, turn, options)
  } finally {
    if (!waits) turn.end()
  }
}

async function drive(
  execution: Execution,
  first: ReturnType<Execution['resume']>,
  slice: ExecutionSlice,
  { signal, residency, hooks }: RunOptions,
): Promise<MessageResult> {
  try {
    for (let status = await first; ; ) {
      if (status.kind === 'done') return status.result
      if (status.kind === 'missing') await load(status.request, residency)
      if (hooks?.isFull?.() === true) await slice.paused(hooks.drained?.())
      if (status.kind === 'paused' || slice.left() <= 0) await slice.next()
      if (signal?.aborted === true) throw executionAborted(signal.reason)
      status = await execution.resume(slice.left())
    }
  } finally {
    slice.end()
  }
}

/** The time slices of one execution and the deadline over all of them. */
class ExecutionSlice {
  readonly #scheduler: ExecutionScheduler | undefined
  readonly #deadlineMs: number | undefined
  #started: number
  #sliceEnd: number

  constructor(scheduler: ExecutionScheduler | undefined, deadlineMs: number | undefined) {
    this.#scheduler = scheduler
    this.#deadlineMs = deadlineMs
    this.#started = scheduler?.clock.monotonic() ?? 0
    this.#sliceEnd = scheduler === undefined ? Number.POSITIVE_INFINITY : this.#started + scheduler.enter()
  }

  /** Remaining milliseconds of the slice. */
  left(): number {
    if (this.#scheduler === undefined) return Number.POSITIVE_INFINITY
    const now = this.#scheduler.clock.monotonic()
    const slice = this.#sliceEnd - now
    return this.#deadlineMs === undefined ? slice : Math.min(slice, this.#started + this.#deadlineMs - now)
  }

  /** A wait that does not count towards the deadline. */
  async paused(wait: Promise<void> | undefined): Promise<void> {
    const from = this.#scheduler?.clock.monotonic() ?? 0
    await wait
    this.#started += (this.#scheduler?.clock.monotonic() ?? 0) - from
  }

  /** @throws {NodeError} EXECUTION_TIMEOUT */
  async next(): Promise<void> {
    const scheduler = this.#scheduler
    if (scheduler === undefined) return
    await scheduler.turn()
    const now = scheduler.clock.monotonic()
    if (this.#deadlineMs !== undefined && now - this.#started >= this.#deadlineMs) {
      throw executionTimeout(this.#deadlineMs)
    }
    this.#sliceEnd = now + scheduler.sliceMs
  }

  end(): void {
    this.#scheduler?.leave()
  }
}

async function load(request: StoreMiss['request'], residency: Residency | undefined): Promise<void> {
  if (residency === undefined) throw new StoreMiss(request)
  await residency.load(request)
}
