import { RLPX_DELIVERY_TIMEOUT_MS } from '../../../base/limits/limits.ts'
import type { Clock } from '../../../base/ports/host.ts'

/** Recognises a peer that has read nothing between successive checks. */
export class DeliveryWatch {
  readonly #clock: Clock
  #delivered = 0
  /** Monotonic time of the last check that found progress. */
  #progressMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#progressMs = clock.monotonic()
  }

  /**
   * @param delivered bytes that the connection has passed on so far
   * @param isBlocked whether others wait because the peer does not read
   * @returns whether the peer has read nothing for RLPX_DELIVERY_TIMEOUT_MS
   */
  isStalled(delivered: number, isBlocked: boolean): boolean {
    const now = this.#clock.monotonic()
    if (!isBlocked || delivered > this.#delivered) this.#progressMs = now
    this.#delivered = delivered
    return now - this.#progressMs >= RLPX_DELIVERY_TIMEOUT_MS
  }
}
