import type { Timer, Timers } from '../../../base/ports/timers.ts'
import { DIAL_RULES } from './policy.ts'

interface Plan {
  readonly delayMs: number
  readonly count: number
  readonly timer: Timer
}

/** Quick dials to maintained peers that failed or were lost: for some minutes, a partition of the network may end at any time. */
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
    const { firstRedialMs, maxRedialMs, redials } = DIAL_RULES
    const { delayMs, count } = previous ?? { delayMs: firstRedialMs / 2, count: 0 }
    if (count >= redials) return
    const nextMs = Math.min(2 * delayMs, maxRedialMs)
    const timer = this.#timers.schedule(nextMs, () => this.#dial(key))
    this.#plans.set(key, { delayMs: nextMs, count: count + 1, timer })
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
