import type { Clock } from '../../../src/base/ports/host.ts'
import type { Timer, Timers } from '../../../src/base/ports/timers.ts'

/** A clock and timers that advance on demand. */
export class FakeTime implements Clock, Timers {
  #now: number
  readonly #start: number
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>()

  /** @param now milliseconds since 1970 */
  constructor(now: number) {
    this.#now = now
    this.#start = now
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now - this.#start
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const timer = { at: this.#now + delayMs, callback }
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }

  /** Runs everything that falls due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.callback()
    }
    this.#now = end
  }
}
