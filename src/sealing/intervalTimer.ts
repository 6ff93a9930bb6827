import type { Clock } from '../ports/host.ts'

/**
 * Calls at multiples of an interval from its start: a late call does not move the later ones. Calls never overlap; those
 * that come while one is under way are left out.
 */
export class IntervalTimer {
  readonly #clock: Clock
  readonly #call: () => Promise<void>
  #timer: ReturnType<typeof setTimeout> | undefined
  #started = 0
  #intervalMs = 0

  /** @param call must not reject */
  constructor(clock: Clock, call: () => Promise<void>) {
    this.#clock = clock
    this.#call = call
  }

  /** Begins anew. */
  start(intervalMs: number): void {
    this.stop()
    this.#intervalMs = intervalMs
    this.#started = this.#clock.monotonic()
    this.#schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #schedule(): void {
    const elapsed = this.#clock.monotonic() - this.#started
    const next = (Math.floor(elapsed / this.#intervalMs) + 1) * this.#intervalMs
    const timer = setTimeout(() => {
      void this.#call().then(() => {
        if (this.#timer === timer) this.#schedule()
      })
    }, next - elapsed)
    this.#timer = timer
  }
}
