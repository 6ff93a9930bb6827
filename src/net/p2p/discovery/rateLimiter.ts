import {
  DISCOVERY_HANDSHAKE_BURST,
  DISCOVERY_HANDSHAKES_PER_SECOND,
  DISCOVERY_HOST_BURST,
  DISCOVERY_HOST_PACKETS_PER_SECOND,
  DISCOVERY_UNPROVEN_BURST,
  DISCOVERY_UNPROVEN_PACKETS_PER_SECOND,
  MAX_DISCOVERY_HOSTS,
} from '../../../base/limits/limits.ts'
import { LruCache } from '../../../base/primitives/lruCache.ts'
import { TokenBucket } from '../../../base/primitives/tokenBucket.ts'

/**
 * Bounds the work that received packets cause. Addresses can be forged, so senders without an endpoint proof also share
 * one limit: a flood then does not affect verified senders.
 */
export class RateLimiter {
  readonly #hosts = new LruCache<string, TokenBucket>(MAX_DISCOVERY_HOSTS)
  readonly #unproven: TokenBucket
  readonly #handshakes: TokenBucket

  constructor(nowMs: number) {
    this.#unproven = new TokenBucket(DISCOVERY_UNPROVEN_PACKETS_PER_SECOND, DISCOVERY_UNPROVEN_BURST, nowMs)
    this.#handshakes = new TokenBucket(DISCOVERY_HANDSHAKES_PER_SECOND, DISCOVERY_HANDSHAKE_BURST, nowMs)
  }

  /** @param isProven whether the sender's endpoint is proven */
  allows(host: string, isProven: boolean, nowMs: number): boolean {
    return this.#allowsHost(host, nowMs) && (isProven || this.#unproven.take(nowMs))
  }

  /** Whether a handshake of version 5 is examined. A flood of other packets does not affect handshakes. */
  allowsHandshake(host: string, nowMs: number): boolean {
    return this.#allowsHost(host, nowMs) && this.#handshakes.take(nowMs)
  }

  #allowsHost(host: string, nowMs: number): boolean {
    let bucket = this.#hosts.get(host)
    if (bucket === undefined) {
      bucket = new TokenBucket(DISCOVERY_HOST_PACKETS_PER_SECOND, DISCOVERY_HOST_BURST, nowMs)
      this.#hosts.set(host, bucket)
    }
    return bucket.take(nowMs)
  }
}
