import type { Clock } from '../../ports/host.ts'

/** Gas that a millisecond is good for until something was measured. */
const FIRST_RATE = 100_000
const SLOWEST_RATE = 1000
const FASTEST_RATE = 10_000_000
/** How much of the rate a new measurement makes up. */
const WEIGHT = 0.5
const UNLIMITED = 2n ** 63n - 1n

/** Time as gas: what the module may use before it has to look at the clock. The rate is learnt from what ran. */
export class SliceBudget {
  readonly #clock: Clock
  #gasPerMs = FIRST_RATE
  #sliceEnd = Number.POSITIVE_INFINITY
  #granted = 0
  #grantedAt = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A slice begins. @returns gas for all of it */
  begin(sliceMs: number): bigint {
    if (sliceMs === Number.POSITIVE_INFINITY) {
      this.#sliceEnd = sliceMs
      return UNLIMITED
    }
    const now = this.#clock.monotonic()
    this.#sliceEnd = now + sliceMs
    return this.#grant(now)
  }

  /** Whether the slice is over. */
  isOver(): boolean {
    return this.#sliceEnd !== Number.POSITIVE_INFINITY && this.#clock.monotonic() >= this.#sliceEnd
  }

  /** The last grant is used up. @returns gas for the rest of the slice; undefined when it is over */
  next(): bigint | undefined {
    if (this.#sliceEnd === Number.POSITIVE_INFINITY) return UNLIMITED
    const now = this.#clock.monotonic()
    const measured = this.#granted / Math.max(now - this.#grantedAt, 0.001)
    const rate = this.#gasPerMs * (1 - WEIGHT) + measured * WEIGHT
    this.#gasPerMs = Math.min(Math.max(rate, SLOWEST_RATE), FASTEST_RATE)
    return now >= this.#sliceEnd ? undefined : this.#grant(now)
  }

  #grant(now: number): bigint {
    this.#granted = Math.max(Math.round((this.#sliceEnd - now) * this.#gasPerMs), SLOWEST_RATE)
    this.#grantedAt = now
    return BigInt(this.#granted)
  }
}
