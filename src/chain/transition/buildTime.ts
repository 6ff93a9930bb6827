import type { Clock } from '../../base/ports/host.ts'
import { executionAborted } from '../../evm/errors.ts'
import type { ExecutionContext } from './applyMessage.ts'
import type { BlockPlan } from './buildInput.ts'

/** A transaction that began earlier than this fraction of the time before the deadline is too slow for any block. */
const TOO_SLOW_SHARE = 0.5

/** The time that a block under construction has for its transactions. */
export class BuildTime {
  readonly #plan: Pick<BlockPlan, 'deadlineMs' | 'signal'>
  readonly #clock: Clock | undefined
  #startedMs: number | undefined
  #leftMs: number

  constructor(plan: Pick<BlockPlan, 'deadlineMs' | 'signal'>, clock: Clock | undefined) {
    this.#plan = plan
    this.#clock = plan.deadlineMs === undefined ? undefined : clock
    this.#leftMs = plan.deadlineMs ?? Number.POSITIVE_INFINITY
  }

  /** Whether the time runs, or there is no limit. */
  get isRunning(): boolean {
    return this.#clock === undefined || this.#startedMs !== undefined
  }

  /** Called before the first transaction. */
  start(): void {
    this.#startedMs = this.#clock?.monotonic()
  }

  /**
   * Called before each transaction.
   * @throws {NodeError} EXECUTION_ABORTED
   */
  isOver(): boolean {
    const { deadlineMs, signal } = this.#plan
    if (signal?.aborted === true) throw executionAborted(signal.reason)
    if (this.#clock === undefined || this.#startedMs === undefined || deadlineMs === undefined) return false
    this.#leftMs = deadlineMs - (this.#clock.monotonic() - this.#startedMs)
    return this.#leftMs <= 0
  }

  /** The context of the next transaction. */
  within(context: ExecutionContext): ExecutionContext {
    const { signal } = this.#plan
    if (this.#clock === undefined && signal === undefined) return context
    const deadlineMs = this.#clock === undefined ? undefined : this.#leftMs
    return { ...context, control: { ...context.control, deadlineMs, signal } }
  }

  /** Whether the transaction that has not ended by the deadline would not end in another block either. */
  get wasLong(): boolean {
    return this.#leftMs >= (this.#plan.deadlineMs ?? Number.POSITIVE_INFINITY) * TOO_SLOW_SHARE
  }
}
