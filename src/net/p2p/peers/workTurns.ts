import { PEER_TURN_MS } from '../../../base/limits/limits.ts'
import type { Timers } from '../../../base/ports/timers.ts'

/**
 * Turns of the event loop for the messages of all peers. Once these have used the time of a turn, the other messages wait for
 * the next one, in the order of their arrival, so that requests of clients and timers run in between.
 */
export class WorkTurns {
  readonly #timers: Timers
  readonly #waiting = new Set<() => void>()
  #startedMs = Number.NEGATIVE_INFINITY
  #spentMs = 0

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** Whether further messages have to wait. */
  get isOver(): boolean {
    return this.#spentMs >= PEER_TURN_MS
  }

  /** Counts work that a message has caused. */
  spend(workMs: number, nowMs: number): void {
    if (this.isOver) return
    // Sparse work needs no timer.
    if (nowMs - this.#startedMs > 2 * PEER_TURN_MS) {
      this.#startedMs = nowMs - workMs
      this.#spentMs = 0
    }
    this.#spentMs += workMs
    if (this.isOver) this.#timers.schedule(0, () => this.#next())
  }

  /** @param read is called in a later turn */
  wait(read: () => void): void {
    this.#waiting.add(read)
  }

  #next(): void {
    this.#startedMs = Number.NEGATIVE_INFINITY
    this.#spentMs = 0
    for (const read of this.#waiting) {
      this.#waiting.delete(read)
      read()
      if (this.isOver) return
    }
  }
}
