import { INBOUND_ATTEMPT_INTERVAL_MS, MAX_INBOUND_ADDRESSES } from '../../../base/limits/limits.ts'
import { publicSiteOf, siteOf } from '../../../base/primitives/addressSite.ts'
import { LruCache } from '../../../base/primitives/lruCache.ts'
import { TokenBucket } from '../../../base/primitives/tokenBucket.ts'

/** Limits how often one address may connect, before a handshake causes any computing. */
export class InboundAttempts {
  readonly #burst: number
  readonly #addresses = new LruCache<string, TokenBucket>(MAX_INBOUND_ADDRESSES)

  constructor(burst: number) {
    this.#burst = burst
  }

  /** Counts an attempt. Local addresses are exempt: a gateway may stand for many nodes. */
  allows(host: string, nowMs: number): boolean {
    if (publicSiteOf(host) === undefined) return true
    // A /64 counts as one address.
    const address = host.includes(':') ? siteOf(host) : host
    let bucket = this.#addresses.get(address)
    if (bucket === undefined) {
      bucket = new TokenBucket(1000 / INBOUND_ATTEMPT_INTERVAL_MS, this.#burst, nowMs)
      this.#addresses.set(address, bucket)
    }
    return bucket.take(nowMs)
  }
}
