import type { Clock } from '../base/ports/host.ts'

/** Time for optional work: a reserve that grows by a share of the time that passes. */
export class TimeAllowance {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #reserveMs: number
  readonly #share: number
  #leftMs: number
  #countedMs: number

  constructor(clock: Pick<Clock, 'monotonic'>, reserveMs: number, share: number) {
    this.#clock = clock
    this.#reserveMs = reserveMs
    this.#share = share
    this.#leftMs = reserveMs
    this.#countedMs = clock.monotonic()
  }

  get isLeft(): boolean {
    const now = this.#clock.monotonic()
    this.#leftMs = Math.min(this.#reserveMs, this.#leftMs + (now - this.#countedMs) * this.#share)
    this.#countedMs = now
    return this.#leftMs > 0
  }

  async spend<T>(work: () => Promise<T>): Promise<T> {
    const startedMs = this.#clock.monotonic()
    try {
      return await work()
    } finally {
      this.#leftMs -= this.#clock.monotonic() - startedMs
    }
  }
}
