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

/** Time whose part of the rate can be saved. */
const BURST_MS = 100
/** A remote that asks for a pause so long counts by the second. */
const SECOND_MS = 1_000
/** Part of what was served before a refusal with which the gate goes on. */
const REDUCTION = 0.9
/** Limits that differ by less are the same. A rate that is served far beyond the refused one shows a higher limit. */
const TOLERANCE = 1.3
/** Part of a confirmed limit that remains when less was served. */
const DECAY = 0.97
/** Growth of the rate with each answer while nothing is known about the limit. */
const FIRST_GROWTH = 0.5
/** Growth of a rate that is not near the one that was refused. */
const FAST_GROWTH = 0.2
/** Growth of a rate that is. It is halved when a refusal confirms the limit, because each costs a pause. */
const SLOW_GROWTH = 0.02
const MIN_SLOW_GROWTH = 0.002
/** Time without a refusal after which the limit is taken to have changed. */
const FORGET_MS = 30_000
/** The windows of most limits. A batch that is refused for so long is too large for the limit. */
const WINDOW_MS = 1_000
/** Time for which the rate of the last answers is the best estimate. */
const RECENT_MS = 3_000
const MIN_RATE = 0.5
/** Nothing needs to wait for a higher rate. */
const MAX_RATE = 100_000
const FIRST_PAUSE_MS = 250
/** Answers of the last second that are counted; a remote that serves more needs no gate. */
const MAX_COUNTED = 4096

export interface Refusal {
  /** When the refused request was sent, in monotonic time. */
  readonly sentMs: number
  /** Requests of JSON-RPC in it, and those that were answered nevertheless. */
  readonly calls: number
  readonly served: number
  /** As the remote says. */
  readonly retryAfterMs: number | undefined
}

/**
 * A fixed rate, or one that begins without a limit and follows the remote: a refusal reduces it to what was served
 * before, each answer raises it. Its unit is requests over HTTP, until a refusal shows that the remote counts the
 * requests of a batch one by one. The number of parallel requests follows too.
 */
export class RateGate {
  readonly #clock: RateGateOptions['clock']
  readonly #random: Random
  readonly #perSecond: number | undefined
  readonly #fixed: TokenBucket | undefined
  readonly #maxParallel: number
  #parallel: number
  #inFlight = 0
  /** Per second; undefined: without a limit */
  #rate: number | undefined
  #countsCalls = false
  /** Whether the requests of a second are allowed together, instead of one after the other. */
  #isBySecond = false
  #tokens = 0
  #tokensMs = 0
  #refusedRate = Number.POSITIVE_INFINITY
  #slowGrowth = SLOW_GROWTH
  #pausedUntilMs = 0
  #refusedMs = Number.NEGATIVE_INFINITY
  #refusalsInARow = 0
  #refusedSinceMs: number | undefined
  /** Answers of the last second, with their requests of JSON-RPC. */
  #served: (readonly [atMs: number, calls: number])[] = []
  #lastServed = { atMs: Number.NEGATIVE_INFINITY, count: 0 }

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
    return Math.max(paused, this.#timeTo(1 - this.#tokensAt(now)))
  }

  /** Whether as many requests as allowed wait for their answer. */
  get isFull(): boolean {
    return this.#inFlight >= this.#parallel
  }

  /** Requests of JSON-RPC that the next batch may have. */
  get room(): number {
    if (this.#fixed === undefined && !this.#countsCalls) return Number.POSITIVE_INFINITY
    return Math.max(1, Math.floor(this.#tokensAt(this.#clock.monotonic())))
  }

  /** Since when the remote has refused everything, in monotonic time. */
  get refusedSinceMs(): number | undefined {
    return this.#refusedSinceMs
  }

  /** @param calls requests of JSON-RPC */
  sent(calls: number): void {
    const now = this.#clock.monotonic()
    this.#inFlight++
    if (this.#fixed !== undefined) this.#fixed.spend(calls, now)
    else this.#tokens = this.#tokensAt(now) - (this.#countsCalls ? calls : 1)
  }

  /** An attempt has ended, in whichever way. */
  ended(): void {
    this.#inFlight--
  }

  /** @param calls requests of JSON-RPC that were answered */
  served(calls: number): void {
    const now = this.#clock.monotonic()
    this.#refusalsInARow = 0
    this.#refusedSinceMs = undefined
    this.#served.push([now, calls])
    if (this.#served.length > MAX_COUNTED) this.#served = this.#served.slice(-MAX_COUNTED / 2)
    if (this.#parallel < this.#maxParallel) this.#parallel++
    if (this.#rate === undefined) return
    this.#lastServed = { atMs: now, count: this.#servedInLastSecond(now) }
    this.#tokens = this.#tokensAt(now)
    this.#rate *= 1 + this.#growth(now, this.#rate)
    if (this.#rate < MAX_RATE) return
    this.#rate = undefined
    this.#countsCalls = false
  }

  refused({ sentMs, calls, served, retryAfterMs }: Refusal): void {
    const now = this.#clock.monotonic()
    this.#refusedSinceMs ??= now
    if (retryAfterMs !== undefined) this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + retryAfterMs)
    this.#isBySecond = (retryAfterMs ?? 0) >= SECOND_MS
    // Requests that were in flight together are refused together, which is one piece of news.
    if (sentMs <= this.#refusedMs) return
    if (calls > 1 && (served > 0 || now - this.#refusedSinceMs >= WINDOW_MS)) this.#countCalls(calls)
    this.#reduce(now)
    this.sendFewer()
    this.#refusedMs = now
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + this.#pauseMs(retryAfterMs))
    this.#refusalsInARow++
  }

  /** Halves the number of parallel requests, which grows again with each answer. */
  sendFewer(): void {
    this.#parallel = Math.max(1, Math.ceil(this.#parallel / 2))
  }

  /** @param calls of a batch that was too large */
  #countCalls(calls: number): void {
    if (this.#countsCalls) return
    this.#countsCalls = true
    this.#rate = calls
    this.#refusalsInARow = 0
  }

  #reduce(now: number): void {
    const served = this.#servedBefore(now)
    const before = this.#refusedRate
    const isConfirmed = served > before / TOLERANCE && served < before * TOLERANCE
    this.#slowGrowth = isConfirmed ? Math.max(MIN_SLOW_GROWTH, this.#slowGrowth / 2) : SLOW_GROWTH
    // Pauses reduce what was served below what the limit allows.
    const allowed = isConfirmed ? Math.max(served, before * DECAY) : served
    this.#refusedRate = allowed > 0 ? allowed : Number.POSITIVE_INFINITY
    this.#rate = Math.max(MIN_RATE, allowed > 0 ? allowed * REDUCTION : (this.#rate ?? 2) / 2)
    this.#tokens = 0
    this.#tokensMs = now
  }

  #growth(now: number, rate: number): number {
    if (now - this.#refusedMs > FORGET_MS) {
      this.#slowGrowth = SLOW_GROWTH
      return FIRST_GROWTH
    }
    if (this.#refusedRate === Number.POSITIVE_INFINITY) return FIRST_GROWTH
    const isNearLimit = rate >= this.#refusedRate * REDUCTION && rate < this.#refusedRate * TOLERANCE
    return isNearLimit ? this.#slowGrowth : FAST_GROWTH
  }

  #pauseMs(retryAfterMs: number | undefined): number {
    if (retryAfterMs !== undefined) return retryAfterMs
    const first = Math.min(FIRST_PAUSE_MS, 1_000 / (this.#rate ?? 1))
    const most = Math.min(MAX_REMOTE_PAUSE_MS, first * 2 ** this.#refusalsInARow)
    return (most * (1 + randomUint32(this.#random) / 2 ** 32)) / 2
  }

  /** Requests that the remote served in the second of its last answer, if that was not long ago. */
  #servedBefore(now: number): number {
    const { atMs, count } = this.#lastServed
    return this.#servedInLastSecond(now) || (now - atMs < RECENT_MS ? count : 0)
  }

  #servedInLastSecond(now: number): number {
    this.#served = this.#served.filter(([atMs]) => atMs > now - SECOND_MS)
    return this.#served.reduce((sum, [, calls]) => sum + (this.#countsCalls ? calls : 1), 0)
  }

  #tokensAt(now: number): number {
    if (this.#fixed !== undefined) return this.#fixed.spend(0, now)
    if (this.#rate === undefined) return 1
    const passedMs = now - this.#tokensMs
    if (this.#isBySecond && passedMs < SECOND_MS) return this.#tokens
    // The part of a request that is left over counts in the next second.
    const most = this.#isBySecond ? this.#rate + 1 : Math.max(1, (this.#rate * BURST_MS) / 1000)
    this.#tokens = Math.min(most, this.#tokens + (Math.min(passedMs, SECOND_MS) * this.#rate) / 1000)
    this.#tokensMs = now
    return this.#tokens
  }

  /** @returns milliseconds in which the tokens come together */
  #timeTo(tokens: number): number {
    const perSecond = this.#perSecond ?? this.#rate
    if (tokens <= 0 || perSecond === undefined) return 0
    if (!this.#isBySecond || this.#fixed !== undefined) return (tokens / perSecond) * 1000
    return Math.max(1, this.#tokensMs + SECOND_MS - this.#clock.monotonic())
  }
}
