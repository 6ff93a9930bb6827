import type { Clock } from '../../base/ports/host.ts'
import { MAX_TIMER_MS, type Timer, type Timers } from '../../base/ports/timers.ts'

/** The timers of a height. Setting one replaces it. */
export class AgreementTimers {
  readonly #clock: Pick<Clock, 'now'>
  readonly #timers: Timers
  #block: Timer | undefined
  #round: Timer | undefined
  #repetition: Timer | undefined

  constructor(clock: Pick<Clock, 'now'>, timers: Timers) {
    this.#clock = clock
    this.#timers = timers
  }

  /** @param atMs wall clock */
  setBlock(atMs: number, expire: () => void): void {
    this.#block?.cancel()
    const delayMs = Math.min(Math.max(atMs - this.#clock.now(), 0), MAX_TIMER_MS)
    this.#block = this.#timers.schedule(delayMs, expire)
  }

  setRound(delayMs: number, expire: () => void): void {
    this.#round?.cancel()
    this.#round = this.#timers.schedule(Math.min(delayMs, MAX_TIMER_MS), expire)
  }

  /** Expires again and again, until the timers are closed. */
  repeat(intervalMs: number, expire: () => void): void {
    this.#repetition?.cancel()
    this.#repetition = this.#timers.schedule(intervalMs, () => {
      this.repeat(intervalMs, expire)
      expire()
    })
  }

  /** The height has its block. */
  cancel(): void {
    this.#block?.cancel()
    this.#round?.cancel()
  }

  close(): void {
    this.cancel()
    this.#repetition?.cancel()
  }
}
