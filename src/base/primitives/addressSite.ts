/**
 * Sites: the parts of the address space that one owner can usually use as a whole. Limits per site bound what one owner
 * can take.
 * @module
 */
import { ipScope, ipText, parseIp } from './ipAddress.ts'

/** /24 */
const IPV4_SITE_BYTES = 3
/** /64 */
const IPV6_SITE_BYTES = 8

/**
 * @param host an IP address; each host name counts as one site
 * @returns the /24 of an IPv4 address or the /64 of an IPv6 address; each address of a local network is its own site
 */
export function siteOf(host: string): string {
  return siteAndScope(host).site
}

/**
 * The site of an address for limits from which local networks are exempt: there, many nodes share a range, a gateway or
 * even one address, and nobody outside can use these addresses.
 * @returns undefined for loopback and local addresses
 */
export function publicSiteOf(host: string): string | undefined {
  const { site, isLocal } = siteAndScope(host)
  return isLocal ? undefined : site
}

function siteAndScope(host: string): { readonly site: string; readonly isLocal: boolean } {
  const bytes = parseIp(host)
  if (bytes === undefined) return { site: host, isLocal: false }
  const scope = ipScope(bytes)
  const isLocal = scope === 'loopback' || scope === 'local'
  if (bytes.length === 4) {
    const end = isLocal ? bytes.length : IPV4_SITE_BYTES
    return { site: bytes.subarray(0, end).join('.'), isLocal }
  }
  const prefix = bytes.map((byte, i) => (i < IPV6_SITE_BYTES ? byte : 0))
  return { site: ipText(prefix) as string, isLocal }
}

/** Number of places that each site holds. */
export class SiteCounts {
  readonly #counts = new Map<string, number>()

  of(site: string): number {
    return this.#counts.get(site) ?? 0
  }

  add(site: string): void {
    this.#counts.set(site, this.of(site) + 1)
  }

  remove(site: string): void {
    const count = this.of(site)
    if (count > 1) this.#counts.set(site, count - 1)
    else this.#counts.delete(site)
  }
}
