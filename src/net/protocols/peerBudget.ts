/**
 * Bounds of the work that a peer may cause: requests, bytes of answers and time.
 * @module
 */

/** Allowance of one resource. */
export interface Allowance {
  /** Units that are added per second. */
  readonly perSecond: number
  /** Maximum number of units that can be saved. */
  readonly burst: number
}

export interface PeerBudgetSettings {
  readonly requests: Allowance
  /** Bytes of answers. */
  readonly bytes: Allowance
  /** Milliseconds of computing. */
  readonly workMs: Allowance
  /** Requests that may wait; a peer that sends more is disconnected. */
  readonly maxWaiting: number
}

const MIB = 1_048_576

/** A syncing peer asks for a few large answers at a time; a share of a tenth of one core serves it. */
export const PEER_BUDGET: PeerBudgetSettings = {
  requests: { perSecond: 100, burst: 400 },
  bytes: { perSecond: 8 * MIB, burst: 64 * MIB },
  workMs: { perSecond: 100, burst: 1000 },
  maxWaiting: 64,
}

/** Cost of one answer. */
export interface Spent {
  readonly bytes: number
  readonly workMs: number
}

/**
 * Decides when a peer may be served again. The cost of an answer is known only afterwards, so an account may become
 * negative; the peer then waits until no account is negative.
 */
export class PeerBudget {
  readonly #settings: PeerBudgetSettings
  readonly #remaining: { requests: number; bytes: number; workMs: number }
  #atMs: number
  #waiting = 0

  /** @param nowMs monotonic time in milliseconds, here and below */
  constructor(settings: PeerBudgetSettings, nowMs: number) {
    this.#settings = settings
    const { requests, bytes, workMs } = settings
    this.#remaining = { requests: requests.burst, bytes: bytes.burst, workMs: workMs.burst }
    this.#atMs = nowMs
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Counts a request that has arrived. @returns false when too many wait: the peer is disconnected */
  arrive(): boolean {
    if (this.#waiting >= this.#settings.maxWaiting) return false
    this.#waiting++
    return true
  }

  /** Milliseconds until the next request may be answered; 0: immediately. */
  delayMs(nowMs: number): number {
    this.#refill(nowMs)
    const { requests, bytes, workMs } = this.#settings
    return Math.max(
      timeUntil(1 - this.#remaining.requests, requests),
      timeUntil(-this.#remaining.bytes, bytes),
      timeUntil(-this.#remaining.workMs, workMs),
    )
  }

  /** Counts an answered request. */
  spend({ bytes, workMs }: Spent, nowMs: number): void {
    this.#refill(nowMs)
    this.#remaining.requests--
    this.#remaining.bytes -= bytes
    this.#remaining.workMs -= workMs
    if (this.#waiting > 0) this.#waiting--
  }

  #refill(nowMs: number): void {
    const seconds = Math.max(0, nowMs - this.#atMs) / 1000
    this.#atMs = Math.max(this.#atMs, nowMs)
    for (const name of ['requests', 'bytes', 'workMs'] as const) {
      const { perSecond, burst } = this.#settings[name]
      this.#remaining[name] = Math.min(burst, this.#remaining[name] + seconds * perSecond)
    }
  }
}

function timeUntil(missing: number, { perSecond }: Allowance): number {
  return missing <= 0 ? 0 : Math.ceil((missing / perSecond) * 1000)
}
