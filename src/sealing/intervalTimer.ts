import type { Clock } from '../base/ports/host.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'

/**
 * Calls at multiples of an interval from its start, so a late call does not delay further ones. Calls never overlap;
 * those due while one is running are skipped.
 */
export class IntervalTimer {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #timers: Timers
  readonly #call: () => Promise<void>
  #timer: Timer | undefined
  #started = 0
  #intervalMs = 0

  /** @param call must not reject */
  constructor(clock: Pick<Clock, 'monotonic'>, timers: Timers, call: () => Promise<void>) {
    this.#clock = clock
    this.#timers = timers
    this.#call = call
  }

  /** Starts or restarts the interval. */
  start(intervalMs: number): void {
    this.stop()
    this.#intervalMs = intervalMs
    this.#started = this.#clock.monotonic()
    this.#schedule()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #schedule(): void {
    const elapsed = this.#clock.monotonic() - this.#started
    const next = (Math.floor(elapsed / this.#intervalMs) + 1) * this.#intervalMs
    const timer = this.#timers.schedule(next - elapsed, () => {
      void this.#call().then(() => {
        if (this.#timer === timer) this.#schedule()
      })
    })
    this.#timer = timer
  }
}
