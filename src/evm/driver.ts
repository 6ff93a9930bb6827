/**
 * Drives all executions: deadline, abort, fairness, back pressure and store misses, for calls, imports and traces
 * alike.
 * @module
 */

import { type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import type { AbortSignal } from '../base/ports/webTypes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { executionAborted, executionTimeout } from './errors.ts'
import type {
  Evm,
  Execution,
  ExecutionEnvironment,
  ExecutionStatus,
  Message,
  MessageResult,
  StartOptions,
} from './evm.ts'
import type { ExecutionScheduler } from './scheduler.ts'
import type { StateDB } from './stateDb.ts'

/** Whether and why the caller has given up: a subset of AbortSignal, which would be costly to create for each call. */
export type AbortState = Pick<AbortSignal, 'aborted' | 'reason'>

/** How an execution is driven: fairness, deadline, abort and loading from the store. */
export interface ExecutionControl {
  /** Yields to the event loop; without it, the message runs without interruption. */
  readonly scheduler?: ExecutionScheduler | undefined
  /**
   * Longest wall-clock time since the call, milliseconds. Waits for full output do not count, nor those that `residency` counts in
   * `waitedMs`. Requires a scheduler.
   */
  readonly deadlineMs?: number | undefined
  readonly signal?: AbortState | undefined
  /** The message is part of a block: only the host bounds its memory, and it never waits for other messages. */
  readonly isBlock?: boolean | undefined
  /**
   * The message's transaction may be left out of its block, so it is not run again when memory is short. The state is
   * that before the transaction when it cannot be run to its end; by default it is unusable.
   */
  readonly isOptional?: boolean | undefined
  /** Loads data that a store does not hold in memory. */
  readonly residency?: Residency | undefined
}

export interface RunOptions extends ExecutionControl, StartOptions {}

const PAUSED: ExecutionStatus = { kind: 'paused' }

/**
 * Runs one message to its end.
 * @returns the result; synchronously when the EVM answers synchronously
 * @throws {NodeError} EXECUTION_TIMEOUT, EXECUTION_ABORTED, EXECUTION_OUT_OF_MEMORY; the native EVM has then undone its
 *   changes of the state
 * @throws {StoreMiss} when data is not in memory and there is no `residency`
 */
export function runMessage(
  evm: Evm,
  message: Message,
  environment: ExecutionEnvironment,
  state: StateDB,
  options: RunOptions = {},
): MessageResult | Promise<MessageResult> {
  const { scheduler, deadlineMs } = options
  requireWanted(options)
  const execution = evm.start(message, environment, state, options)
  const slice = new ExecutionSlice(scheduler, deadlineMs)
  let waits = false
  try {
    // Most calls end within their first slice. One that cannot begin again waits for a place before it begins.
    if (scheduler?.isCrowded === true && options.isBlock !== true && !canBeginAgain(execution, options)) {
      waits = true
      return drive({ evm, message, environment, state, slice, options, execution }, PAUSED)
    }
    const status = execution.resume(slice.first)
    if (!(status instanceof Promise) && status.kind === 'done') return status.result
    waits = true
    return drive({ evm, message, environment, state, slice, options, execution }, status)
  } catch (error) {
    execution.abandon?.()
    const lastResort = lastResortAfter(error, evm, options)
    if (lastResort === undefined) throw error
    waits = true
    const again = lastResort.start(message, environment, state, options)
    return drive({ evm, message, environment, state, slice, options, execution: again }, PAUSED)
  } finally {
    if (!waits) slice.end()
  }
}

/** A message on its way. */
interface Run {
  readonly evm: Evm
  readonly message: Message
  readonly environment: ExecutionEnvironment
  readonly state: StateDB
  readonly slice: ExecutionSlice
  readonly options: RunOptions
  execution: Execution
}

function begin({ message, environment, state, options }: Run, evm: Evm): Execution {
  return evm.start(message, environment, state, options)
}

/** A tracer would hear of everything twice. */
function canBeginAgain({ abandon }: Execution, { hooks }: RunOptions): boolean {
  return abandon !== undefined && hooks === undefined
}

/** @throws {NodeError} EXECUTION_ABORTED */
function requireWanted({ signal }: ExecutionControl): void {
  if (signal?.aborted === true) throw executionAborted(signal.reason)
}

/** The EVM on which a message of a block runs again; undefined: the error stands. */
function lastResortAfter(error: unknown, evm: Evm, { isBlock, isOptional }: RunOptions): Evm | undefined {
  return isBlock === true && isOptional !== true && isNodeError(error, 'EXECUTION_OUT_OF_MEMORY')
    ? evm.lastResort
    : undefined
}

async function drive(run: Run, first: ReturnType<Execution['resume']>): Promise<MessageResult> {
  try {
    return await advance(run, first)
  } catch (error) {
    run.execution.abandon?.()
    const lastResort = lastResortAfter(error, run.evm, run.options)
    if (lastResort === undefined) throw error
    run.execution = begin(run, lastResort)
    return await advance(run, PAUSED)
  } finally {
    run.slice.end()
  }
}

async function advance(run: Run, first: ReturnType<Execution['resume']>): Promise<MessageResult> {
  const { slice, options } = run
  const { hooks } = options
  for (let status = await first; ; ) {
    if (status.kind === 'done') return status.result
    if (status.kind === 'missing') await wait(status.request, run)
    if (hooks?.isFull?.() === true) await slice.paused(hooks.drained?.())
    if (status.kind === 'paused' && options.isBlock !== true) await takePlace(run)
    if (status.kind === 'paused' || slice.left() <= 0) await slice.next()
    requireWanted(options)
    status = await run.execution.resume(slice.left())
  }
}

/** Loads missing data. A call that finds no place to wait gives up its memory meanwhile, and begins again. */
async function wait(request: StoreMiss['request'], run: Run): Promise<void> {
  const { slice, options, execution } = run
  const { scheduler, isBlock } = options
  if (scheduler === undefined || isBlock === true || !canBeginAgain(execution, options)) return load(request, run)
  slice.leavePlace()
  const hasPlace = scheduler.beginWait()
  if (!hasPlace) execution.abandon?.()
  try {
    await load(request, run)
  } finally {
    scheduler.endWait()
  }
  if (!hasPlace) run.execution = begin(run, run.evm)
}

/** A call that finds no place gives up its memory, waits, and begins again if it can. Its deadline counts meanwhile. */
async function takePlace(run: Run): Promise<void> {
  const { slice, options } = run
  if (slice.takePlace()) return
  const beginsAgain = canBeginAgain(run.execution, options)
  if (beginsAgain) run.execution.abandon?.()
  do {
    await slice.next()
    requireWanted(options)
  } while (!slice.takePlace())
  if (beginsAgain) run.execution = begin(run, run.evm)
}

/** The time slices of one execution and the deadline over all of them. */
class ExecutionSlice {
  readonly #scheduler: ExecutionScheduler | undefined
  /** Infinite without a scheduler. */
  readonly #deadlineMs: number
  #started: number
  #sliceEnd: number
  #hasPlace = false

  constructor(scheduler: ExecutionScheduler | undefined, deadlineMs: number | undefined) {
    this.#scheduler = scheduler
    this.#deadlineMs = (scheduler && deadlineMs) ?? Number.POSITIVE_INFINITY
    this.#started = this.#now
    this.#sliceEnd = this.#started + (scheduler?.enter() ?? Number.POSITIVE_INFINITY)
  }

  get #now(): number {
    return this.#scheduler?.clock.monotonic() ?? 0
  }

  /** Milliseconds of the first slice, which has just begun. */
  get first(): number {
    return this.left(this.#started)
  }

  /** Remaining milliseconds of the slice. */
  left(now: number = this.#now): number {
    return Math.min(this.#sliceEnd, this.#started + this.#deadlineMs) - now
  }

  /** A wait that does not count towards the deadline. */
  async paused(wait: Promise<void> | undefined): Promise<void> {
    const from = this.#now
    await wait
    this.#started += this.#now - from
  }

  /** @throws {NodeError} EXECUTION_TIMEOUT */
  async next(): Promise<void> {
    const scheduler = this.#scheduler
    if (scheduler === undefined) return
    await scheduler.turn()
    const now = this.#now
    if (now - this.#started >= this.#deadlineMs) throw executionTimeout(this.#deadlineMs)
    this.#sliceEnd = now + scheduler.sliceMs
  }

  /** Takes a place of a call that pauses, unless it has one. @returns false when all are taken */
  takePlace(): boolean {
    this.#hasPlace ||= this.#scheduler?.takePlace() ?? true
    return this.#hasPlace
  }

  leavePlace(): void {
    if (this.#hasPlace) this.#scheduler?.leavePlace()
    this.#hasPlace = false
  }

  end(): void {
    this.leavePlace()
    this.#scheduler?.leave()
  }
}

async function load(request: StoreMiss['request'], { message, environment, options, slice }: Run): Promise<void> {
  const { residency } = options
  if (residency === undefined) throw new StoreMiss(request)
  const { caller: sender, to, value, data } = message
  const loading = residency.load(request, { sender, to, value, data, beneficiary: environment.block.beneficiary })
  await (residency.waitedMs === undefined ? loading : slice.paused(loading))
}
