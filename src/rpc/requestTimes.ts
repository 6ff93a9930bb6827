import type { Clock } from '../base/ports/host.ts'

/**
 * When requests begin and end, in milliseconds of the monotonic clock. The requests of a batch that follow each other
 * without a wait share these times: the next one begins when the one before it ends, and the clock is read once for both.
 */
export class RequestTimes {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Of the present batch. */
  #lastMs: number | undefined

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** @returns when a request begins */
  begin(): number {
    return this.#lastMs ?? this.#clock.monotonic()
  }

  /** @returns when a request ends */
  end(): number {
    const nowMs = this.#clock.monotonic()
    if (this.#lastMs !== undefined) this.#lastMs = nowMs
    return nowMs
  }

  beginBatch(): number {
    const nowMs = this.#clock.monotonic()
    this.#lastMs = nowMs
    return nowMs
  }

  /** Called before anything else can run. */
  endBatch(): void {
    this.#lastMs = undefined
  }
}
