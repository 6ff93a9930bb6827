import { MAX_PENDING_PEERS, MAX_PENDING_PEERS_PER_SITE, PENDING_PEER_GRACE_MS } from '../../../base/limits/limits.ts'
import type { Clock } from '../../../base/ports/host.ts'
import { rangesOf } from '../../../base/primitives/addressSite.ts'

interface PendingSlot {
  readonly sinceMs: number
  /** The place is needed for another connection. */
  readonly giveUp: () => void
}

/**
 * Places for inbound connections that are not admitted yet. Each site has a share; of
 * IPv6, the widest range counts, since places pass from hand to hand. When none is free, a new connection
 * displaces the oldest one of the site that holds the most, unless it is too young to be called slow.
 */
export class PendingSlots {
  readonly #clock: Clock
  /** By site; places in the order of their age. */
  readonly #sites = new Map<string, Set<PendingSlot>>()
  #size = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#size
  }

  /**
   * @param giveUp ends the connection; the place is free already
   * @returns an idempotent function that frees the place; undefined if there is no place
   */
  take(host: string, giveUp: () => void): (() => void) | undefined {
    const site = rangesOf(host).at(-1) ?? host
    const isSiteFull = (this.#sites.get(site)?.size ?? 0) >= MAX_PENDING_PEERS_PER_SITE
    if (isSiteFull && !this.#displace(site)) return undefined
    if (this.#size >= MAX_PENDING_PEERS && !this.#displace(this.#largestSite())) return undefined
    const slot: PendingSlot = { sinceMs: this.#clock.monotonic(), giveUp }
    const places = this.#sites.get(site) ?? new Set()
    this.#sites.set(site, places.add(slot))
    this.#size++
    return () => void this.#free(site, slot)
  }

  /** @returns whether a place is free now */
  #displace(site: string): boolean {
    const [oldest] = this.#sites.get(site) ?? []
    if (oldest === undefined || this.#clock.monotonic() - oldest.sinceMs < PENDING_PEER_GRACE_MS) return false
    this.#free(site, oldest)
    oldest.giveUp()
    return true
  }

  #free(site: string, slot: PendingSlot): void {
    const places = this.#sites.get(site)
    if (places?.delete(slot) !== true) return
    this.#size--
    if (places.size === 0) this.#sites.delete(site)
  }

  /** Among equals, the one that came first. */
  #largestSite(): string {
    let largest = ''
    let size = 0
    for (const [site, places] of this.#sites) {
      if (places.size > size) [largest, size] = [site, places.size]
    }
    return largest
  }
}
