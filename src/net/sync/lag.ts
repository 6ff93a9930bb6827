/**
 * Decides when this node counts as behind its peers. Their claims cost nothing: they count for a while until blocks are
 * imported, and later only as far as validated headers prove them. Otherwise one peer could stop gossip and block
 * production for ever.
 * @see docs/reference/p2p.md section 9
 * @module
 */
import { SYNC_CLAIM_INTERVAL_MS, SYNC_CLAIM_MS, SYNC_STALL_MS } from '../../base/limits/networkLimits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'

export interface LagDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly timers: Timers
  /** Whether claims count before blocks have been imported. */
  trustsClaims(): boolean
  onChange(isBehind: boolean): void
}

export class Lag {
  readonly #deps: LagDeps
  #isClaimed = false
  #isBehind = false
  /** Monotonic time until which claims count. */
  #untilMs = Number.NEGATIVE_INFINITY
  /** Monotonic time from which claims without imported blocks count again. */
  #nextClaimMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined

  constructor(deps: LagDeps) {
    this.#deps = deps
  }

  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Whether credible peers claim to be far ahead. */
  setClaimed(isClaimed: boolean): void {
    const now = this.#deps.clock.monotonic()
    if (isClaimed && !this.#isClaimed && now >= this.#nextClaimMs && this.#deps.trustsClaims()) {
      this.#extend(now + SYNC_CLAIM_MS)
      this.#nextClaimMs = now + SYNC_CLAIM_INTERVAL_MS
    }
    this.#isClaimed = isClaimed
    this.#update()
  }

  /** Blocks have been imported, and validated headers lead far beyond them. */
  progressed(): void {
    this.#isClaimed = true
    this.#extend(this.#deps.clock.monotonic() + SYNC_STALL_MS)
    this.#update()
  }

  close(): void {
    this.#timer?.cancel()
  }

  #extend(untilMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, untilMs)
  }

  #update(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const leftMs = this.#untilMs - this.#deps.clock.monotonic()
    const isBehind = this.#isClaimed && leftMs > 0
    if (isBehind) this.#timer = this.#deps.timers.schedule(Math.ceil(leftMs), () => this.#update())
    if (isBehind === this.#isBehind) return
    this.#isBehind = isBehind
    this.#deps.onChange(isBehind)
  }
}
