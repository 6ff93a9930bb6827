/**
 * Schedules running executions, so that other work waits for at most one slice, regardless of their number.
 * @module
 */
import { MAX_PAUSED_CALLS, MAX_WAITING_CALLS } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import { TimeSlicer, type YieldToHost } from '../base/ports/yieldToHost.ts'

export interface SchedulerOptions {
  readonly clock: Clock
  readonly yieldToHost: YieldToHost
  /** Longest uninterrupted run of an execution, milliseconds. Default 8. */
  readonly sliceMs?: number
}

const DEFAULT_SLICE_MS = 8
/**
 * First slice of a message while others run. Most calls finish within it, so many simultaneous starts block nothing.
 */
const CROWDED_SLICE_MS = 1

export class ExecutionScheduler {
  readonly clock: Clock
  /** Longest uninterrupted run of an execution, milliseconds. */
  readonly sliceMs: number
  readonly #yieldToHost: YieldToHost
  #running = 0
  #paused = 0
  #waiting = 0
  #started = 0
  #pauses = 0
  #lastTurn: Promise<void> = Promise.resolve()

  constructor({ clock, yieldToHost, sliceMs = DEFAULT_SLICE_MS }: SchedulerOptions) {
    this.clock = clock
    this.#yieldToHost = yieldToHost
    this.sliceMs = sliceMs
  }

  /** Number of executions between their first slice and their end. */
  get running(): number {
    return this.#running
  }

  /** Number of executions so far. */
  get started(): number {
    return this.#started
  }

  /** Number of times that executions have yielded so far. */
  get pauses(): number {
    return this.#pauses
  }

  /**
   * Registers an execution; call {@link leave} when it ends.
   * @returns its first slice, milliseconds
   */
  enter(): number {
    this.#running++
    this.#started++
    return this.#running === 1 ? this.sliceMs : CROWDED_SLICE_MS
  }

  leave(): void {
    this.#running--
  }

  /**
   * Yields; executions resume first come, first served, one per turn of the event loop, each for a slice of `sliceMs`.
   */
  readonly turn: YieldToHost = () => {
    this.#pauses++
    this.#lastTurn = this.#lastTurn.then(this.#yieldToHost)
    return this.#lastTurn
  }

  /** Whether no further call may pause. */
  get isCrowded(): boolean {
    return this.#paused >= MAX_PAUSED_CALLS
  }

  /**
   * Takes one of the places of calls that pause; return it with {@link leavePlace}.
   * @returns false when all are taken
   */
  takePlace(): boolean {
    if (this.isCrowded) return false
    this.#paused++
    return true
  }

  leavePlace(): void {
    this.#paused--
  }

  /** Registers a call that waits for data; call {@link endWait} when it has them. @returns false when it must give up its memory */
  beginWait(): boolean {
    return ++this.#waiting <= MAX_WAITING_CALLS
  }

  endWait(): void {
    this.#waiting--
  }

  /** For loops over work that is too short to yield by itself. */
  slicer(sliceMs: number = this.sliceMs): TimeSlicer {
    return new TimeSlicer({ clock: this.clock, yieldToHost: this.turn, sliceMs })
  }
}
