import { MAX_DIAL_FAILURES } from '../../../base/limits/limits.ts'
import type { Clock } from '../../../base/ports/host.ts'
import { LruCache } from '../../../base/primitives/lruCache.ts'
import { DIAL_RULES } from './policy.ts'

interface Failures {
  readonly backOffMs: number
  readonly untilMs: number
}

/** Nodes that are not dialled again for a while, because dials to them have failed. */
export class BackOff {
  readonly #clock: Clock
  readonly #failures = new LruCache<string, Failures>(MAX_DIAL_FAILURES)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isWaiting(key: string): boolean {
    const failures = this.#failures.get(key)
    return failures !== undefined && this.#clock.monotonic() < failures.untilMs
  }

  /** @param isLasting whether the cause is unlikely to change: the longest wait then applies immediately */
  failed(key: string, isLasting: boolean): void {
    const { firstBackOffMs, maxBackOffMs } = DIAL_RULES
    const previous = this.#failures.get(key)
    const next = previous === undefined ? firstBackOffMs : 2 * previous.backOffMs
    const backOffMs = isLasting ? maxBackOffMs : Math.min(next, maxBackOffMs)
    this.#failures.set(key, { backOffMs, untilMs: this.#clock.monotonic() + backOffMs })
  }

  succeeded(key: string): void {
    this.#failures.delete(key)
  }
}
