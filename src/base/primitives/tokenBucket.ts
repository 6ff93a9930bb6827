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
    if (this.spend(0, nowMs) < 1) return false
    this.#tokens--
    return true
  }

  /** Takes tokens even if too few are left. @returns the tokens that are left; negative: a debt */
  spend(tokens: number, nowMs: number): number {
    const grown = this.#tokens + Math.max(0, nowMs - this.#updatedMs) * this.#perMs
    this.#updatedMs = Math.max(this.#updatedMs, nowMs)
    this.#tokens = Math.min(this.#burst, grown) - tokens
    return this.#tokens
  }

  /** Returns a token. */
  giveBack(): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + 1)
  }
}
