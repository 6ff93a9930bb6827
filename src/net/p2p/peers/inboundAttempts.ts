import { INBOUND_ATTEMPT_INTERVAL_MS, MAX_INBOUND_ADDRESSES } from '../../../base/limits/limits.ts'
import { publicRangesOf, rangePlaces } from '../../../base/primitives/addressSite.ts'
import { LruCache } from '../../../base/primitives/lruCache.ts'
import { TokenBucket } from '../../../base/primitives/tokenBucket.ts'

/** Limits how often one address may connect, before a handshake causes any computing. */
export class InboundAttempts {
  readonly #burst: number
  readonly #buckets = new LruCache<string, TokenBucket>(MAX_INBOUND_ADDRESSES)

  /** @param burst of one address */
  constructor(burst: number) {
    this.#burst = burst
  }

  /** Counts an attempt. Local addresses are exempt: a gateway may stand for many nodes. */
  allows(host: string, nowMs: number): boolean {
    const ranges = publicRangesOf(host)
    if (ranges.length === 0) return true
    if (!host.includes(':')) return this.#take(host, 0, nowMs)
    // Widest first: the addresses of a range that is refused need no memory.
    return [...ranges.entries()].reverse().every(([index, range]) => this.#take(range, index, nowMs))
  }

  /** @param index of the range among those of an address */
  #take(range: string, index: number, nowMs: number): boolean {
    let bucket = this.#buckets.get(range)
    if (bucket === undefined) {
      const perSecond = rangePlaces(1000 / INBOUND_ATTEMPT_INTERVAL_MS, index)
      bucket = new TokenBucket(perSecond, rangePlaces(this.#burst, index), nowMs)
      this.#buckets.set(range, bucket)
    }
    return bucket.take(nowMs)
  }
}
