/** Allows a rate of events with bursts. */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  #tokens: number
  #updatedMs: number

  /** @param burst maximum number of tokens; the bucket starts full */
  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#tokens = burst
    this.#updatedMs = nowMs
  }

  /** @returns whether a token was left */
  take(nowMs: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#updatedMs) * this.#perMs)
    this.#updatedMs = nowMs
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** Returns a token. */
  giveBack(): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + 1)
  }
}
