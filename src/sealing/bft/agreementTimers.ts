import type { Clock } from '../../base/ports/host.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'

/** Longest delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** The block timer and the round timer of a height. Setting one replaces it. */
export class AgreementTimers {
  readonly #clock: Pick<Clock, 'now'>
  readonly #timers: Timers
  #block: Timer | undefined
  #round: Timer | undefined

  constructor(clock: Pick<Clock, 'now'>, timers: Timers) {
    this.#clock = clock
    this.#timers = timers
  }

  /** @param atMs wall clock */
  setBlock(atMs: number, expire: () => void): void {
    this.#block?.cancel()
    const delayMs = Math.min(Math.max(atMs - this.#clock.now(), 0), MAX_DELAY_MS)
    this.#block = this.#timers.schedule(delayMs, expire)
  }

  setRound(delayMs: number, expire: () => void): void {
    this.#round?.cancel()
    this.#round = this.#timers.schedule(Math.min(delayMs, MAX_DELAY_MS), expire)
  }

  cancel(): void {
    this.#block?.cancel()
    this.#round?.cancel()
  }
}
