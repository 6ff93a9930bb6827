import type { Clock } from '../../base/ports/host.ts'

/**
 * Assumed gas per millisecond at the start of a slice; slower than most code, so that no slice becomes far too long.
 */
const FIRST_RATE = 100_000
/** Factor by which one measurement may increase the rate. */
const MOST_GROWTH = 4
const LEAST_GAS = 1000
/** Time between two clock reads if the rate is accurate, milliseconds. */
const GRANT_MS = 2
const UNLIMITED = 2n ** 63n - 1n

/**
 * Converts time to gas, which the module may use before it returns to read the clock. Each slice measures the rate
 * again.
 */
export class SliceBudget {
  readonly #clock: Clock
  #gasPerMs = FIRST_RATE
  #sliceEnd = Number.POSITIVE_INFINITY
  #granted = 0
  #grantedAt = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Begins a slice.
   * @returns gas for the first part of it
   */
  begin(sliceMs: number): bigint {
    this.#gasPerMs = FIRST_RATE
    if (sliceMs === Number.POSITIVE_INFINITY) {
      this.#sliceEnd = sliceMs
      return UNLIMITED
    }
    const now = this.#clock.monotonic()
    this.#sliceEnd = now + sliceMs
    return this.#grant(now)
  }

  /** Whether the slice is over, or will be within the given time. */
  isOver(withinMs = 0): boolean {
    return this.#sliceEnd !== Number.POSITIVE_INFINITY && this.#clock.monotonic() + withinMs >= this.#sliceEnd
  }

  /**
   * Called when the last grant is used up.
   * @returns gas for the next part of the slice; undefined when the slice is over
   */
  next(): bigint | undefined {
    if (this.#sliceEnd === Number.POSITIVE_INFINITY) return UNLIMITED
    const now = this.#clock.monotonic()
    if (now >= this.#sliceEnd) return undefined
    const most = this.#gasPerMs * MOST_GROWTH
    const elapsed = now - this.#grantedAt
    this.#gasPerMs = elapsed > 0 ? Math.min(this.#granted / elapsed, most) : most
    return this.#grant(now)
  }

  #grant(now: number): bigint {
    const ms = Math.min(this.#sliceEnd - now, GRANT_MS)
    this.#granted = Math.max(Math.round(ms * this.#gasPerMs), LEAST_GAS)
    this.#grantedAt = now
    return BigInt(this.#granted)
  }
}
