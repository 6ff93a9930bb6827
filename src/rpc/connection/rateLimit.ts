import type { Clock } from '../../base/ports/host.ts'

/** Limits the requests of one connection per second. A connection that was idle may send the requests of one second together. */
export class RateLimit {
  readonly #perSecond: number
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Requests that may be sent without waiting. */
  #available: number
  #atMs: number

  constructor(perSecond: number, clock: Pick<Clock, 'monotonic'>) {
    this.#perSecond = perSecond
    this.#clock = clock
    this.#available = perSecond
    this.#atMs = clock.monotonic()
  }

  /** Counts one request. @returns whether it is within the limit */
  take(): boolean {
    const now = this.#clock.monotonic()
    const earned = ((now - this.#atMs) * this.#perSecond) / 1000
    this.#available = Math.min(this.#perSecond, this.#available + earned)
    this.#atMs = now
    if (this.#available < 1) return false
    this.#available--
    return true
  }
}
