/**
 * When the next request to a remote may be sent.
 * @module
 */
import { MAX_REMOTE_PAUSE_MS } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import { type Random, randomUint32 } from '../base/ports/random.ts'
import { TokenBucket } from '../base/primitives/tokenBucket.ts'

export interface RateGateOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: Random
  /** Requests of JSON-RPC per second, those of a batch counted one by one; undefined: the remote's refusals decide */
  readonly requestsPerSecond: number | undefined
  /** Requests that wait for an answer at a time. */
  readonly maxParallel: number
}

/** Remotes measure their limits in windows of a second or more, so this much of the rate can be saved. */
const BURST_MS = 1_000
/** Part of the rate that was served before a refusal with which the gate goes on. */
const REDUCTION = 0.9
/** Growth of the rate with each answer, until it reaches the one that was refused. */
const FAST_GROWTH = 0.2
/** Growth beyond. It is halved with each refusal, because each attempt to exceed the limit costs a pause. */
const SLOW_GROWTH = 0.02
const MIN_SLOW_GROWTH = 0.002
/** Time without a refusal after which the limit is taken to have changed. */
const FORGET_MS = 30_000
const MIN_RATE = 0.2
const FIRST_PAUSE_MS = 250
/** Answers of the last second that are counted; a remote that serves more needs no gate. */
const MAX_COUNTED = 4096

/**
 * A fixed rate, or one that begins without a limit and follows the remote: a refusal reduces it to what was served
 * before, each answer raises it. The number of parallel requests follows too.
 */
export class RateGate {
  readonly #clock: RateGateOptions['clock']
  readonly #random: Random
  readonly #perSecond: number | undefined
  readonly #fixed: TokenBucket | undefined
  readonly #maxParallel: number
  #parallel: number
  #inFlight = 0
  /** HTTP requests per second; undefined: without a limit */
  #rate: number | undefined
  #tokens = 0
  #tokensMs = 0
  #refusedRate = Number.POSITIVE_INFINITY
  #slowGrowth = SLOW_GROWTH
  #pausedUntilMs = 0
  #refusedMs = Number.NEGATIVE_INFINITY
  #refusalsInARow = 0
  #refusedSinceMs: number | undefined
  /** Times of the answers of the last second. */
  #served: number[] = []

  constructor({ clock, random, requestsPerSecond, maxParallel }: RateGateOptions) {
    this.#clock = clock
    this.#random = random
    this.#perSecond = requestsPerSecond
    this.#fixed =
      requestsPerSecond === undefined
        ? undefined
        : new TokenBucket(requestsPerSecond, Math.max(1, requestsPerSecond), clock.monotonic())
    this.#maxParallel = maxParallel
    this.#parallel = maxParallel
  }

  /** Milliseconds until the rate allows the next request; 0: now. */
  get waitMs(): number {
    const now = this.#clock.monotonic()
    const paused = Math.max(0, this.#pausedUntilMs - now)
    if (this.#fixed !== undefined) return Math.max(paused, timeTo(1 - this.#fixed.spend(0, now), this.#perSecond))
    return Math.max(paused, timeTo(1 - this.#tokensAt(now), this.#rate))
  }

  /** Whether as many requests as allowed wait for their answer. */
  get isFull(): boolean {
    return this.#inFlight >= this.#parallel
  }

  /** Requests of JSON-RPC that the next batch may have. */
  get room(): number {
    if (this.#fixed === undefined) return Number.POSITIVE_INFINITY
    return Math.max(1, Math.floor(this.#fixed.spend(0, this.#clock.monotonic())))
  }

  /** Since when the remote has refused everything, in monotonic time. */
  get refusedSinceMs(): number | undefined {
    return this.#refusedSinceMs
  }

  /** @param requests of JSON-RPC */
  sent(requests: number): void {
    const now = this.#clock.monotonic()
    this.#inFlight++
    if (this.#fixed !== undefined) this.#fixed.spend(requests, now)
    else this.#tokens = this.#tokensAt(now) - 1
  }

  /** An attempt has ended, in whichever way. */
  ended(): void {
    this.#inFlight--
  }

  served(): void {
    const now = this.#clock.monotonic()
    this.#refusalsInARow = 0
    this.#refusedSinceMs = undefined
    this.#served.push(now)
    if (this.#served.length > MAX_COUNTED) this.#served = this.#served.slice(-MAX_COUNTED / 2)
    if (this.#parallel < this.#maxParallel) this.#parallel++
    if (this.#rate === undefined) return
    const isForgotten = now - this.#refusedMs > FORGET_MS
    if (isForgotten) this.#slowGrowth = SLOW_GROWTH
    const isFast = isForgotten || this.#rate < this.#refusedRate * REDUCTION
    this.#tokens = this.#tokensAt(now)
    this.#rate *= 1 + (isFast ? FAST_GROWTH : this.#slowGrowth)
  }

  /**
   * @param sentMs when the refused request was sent, in monotonic time
   * @param retryAfterMs as the remote says
   */
  refused(sentMs: number, retryAfterMs: number | undefined): void {
    const now = this.#clock.monotonic()
    this.#refusedSinceMs ??= now
    if (retryAfterMs !== undefined) this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + retryAfterMs)
    // Requests that were in flight together are refused together, which is one piece of news.
    if (sentMs <= this.#refusedMs) return
    const served = this.#servedWithin(now, 1_000)
    this.#refusedRate = served > 0 ? served : Number.POSITIVE_INFINITY
    this.#rate = Math.max(MIN_RATE, served > 0 ? served * REDUCTION : (this.#rate ?? 2) / 2)
    this.#slowGrowth = Math.max(MIN_SLOW_GROWTH, this.#slowGrowth / 2)
    this.#parallel = Math.max(1, Math.ceil(this.#parallel / 2))
    this.#tokens = 0
    this.#tokensMs = now
    this.#refusedMs = now
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + this.#pauseMs(retryAfterMs))
    this.#refusalsInARow++
  }

  #pauseMs(retryAfterMs: number | undefined): number {
    if (retryAfterMs !== undefined) return retryAfterMs
    const most = Math.min(MAX_REMOTE_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#refusalsInARow)
    return (most * (1 + randomUint32(this.#random) / 2 ** 32)) / 2
  }

  #servedWithin(now: number, ms: number): number {
    this.#served = this.#served.filter((at) => at > now - ms)
    return this.#served.length
  }

  /** Also brings the tokens up to date. */
  #tokensAt(now: number): number {
    if (this.#rate === undefined) return 1
    const most = Math.max(1, (this.#rate * BURST_MS) / 1000)
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#tokensMs) * this.#rate) / 1000)
    this.#tokensMs = now
    return this.#tokens
  }
}

/** @returns milliseconds in which the tokens come together */
function timeTo(tokens: number, perSecond: number | undefined): number {
  return tokens <= 0 || perSecond === undefined ? 0 : (tokens / perSecond) * 1000
}
