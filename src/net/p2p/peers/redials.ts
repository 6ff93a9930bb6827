import type { Timer, Timers } from '../../../base/ports/timers.ts'
import { DIAL_RULES } from './policy.ts'

interface Plan {
  readonly delayMs: number
  readonly timer: Timer
}

/** Quick dials to maintained peers that failed or were lost, until the pauses are as long as the usual interval. */
export class Redials {
  readonly #timers: Timers
  readonly #dial: (key: string) => void
  /** By key; one per maintained peer at most. */
  readonly #plans = new Map<string, Plan>()

  constructor(timers: Timers, dial: (key: string) => void) {
    this.#timers = timers
    this.#dial = dial
  }

  plan(key: string): void {
    const previous = this.#plans.get(key)
    previous?.timer.cancel()
    const delayMs = previous === undefined ? DIAL_RULES.firstRedialMs : 2 * previous.delayMs
    if (delayMs >= DIAL_RULES.maintainedMs) return
    this.#plans.set(key, { delayMs, timer: this.#timers.schedule(delayMs, () => this.#dial(key)) })
  }

  /** The next loss begins with the shortest pause. */
  succeeded(key: string): void {
    this.#plans.get(key)?.timer.cancel()
    this.#plans.delete(key)
  }

  close(): void {
    for (const { timer } of this.#plans.values()) timer.cancel()
    this.#plans.clear()
  }
}
