/**
 * Sites: the parts of the address space that one owner can usually use as a whole. Limits per site bound what one owner
 * can take. An owner of IPv6 has a /64 as surely as an address, and can have a /48 for the asking, with 65,536 of them. So
 * an address counts in several ranges, of which the wider ones have more places, because strangers may share them.
 * @module
 */
import { ipScope, ipText, parseIp } from './ipAddress.ts'

const IPV4_BYTES = 4
/** /24 */
const IPV4_SITE_BYTES = 3
/** /64 and /48 */
const IPV6_RANGE_BYTES = [8, 6] as const

/** Ranges that an address lies in, the narrowest first. Limits do not apply to an address without ranges. */
export type AddressRanges = readonly string[]

/**
 * @param host an IP address; each host name counts as one site
 * @returns the /24 of an IPv4 address, the /64 and the /48 of an IPv6 address; on a local network the IPv4 address itself or
 *   the /64
 */
export function rangesOf(host: string): AddressRanges {
  return rangesAndScope(host).ranges
}

/**
 * The ranges of an address for limits from which local networks are exempt: there, many nodes share a range, a gateway or
 * even one address, and nobody outside can use these addresses.
 * @returns none for loopback and local addresses
 */
export function publicRangesOf(host: string): AddressRanges {
  const { ranges, isLocal } = rangesAndScope(host)
  return isLocal ? [] : ranges
}

function rangesAndScope(host: string): { readonly ranges: AddressRanges; readonly isLocal: boolean } {
  const bytes = parseIp(host)
  if (bytes === undefined) return { ranges: [host], isLocal: false }
  const scope = ipScope(bytes)
  const isLocal = scope === 'loopback' || scope === 'local'
  if (bytes.length === IPV4_BYTES) {
    const end = isLocal ? IPV4_BYTES : IPV4_SITE_BYTES
    return { ranges: [bytes.subarray(0, end).join('.')], isLocal }
  }
  const lengths = isLocal ? IPV6_RANGE_BYTES.slice(0, 1) : IPV6_RANGE_BYTES
  return { ranges: lengths.map((length) => ipv6Range(bytes, length)), isLocal }
}

function ipv6Range(bytes: Uint8Array, length: number): string {
  const prefix = bytes.map((byte, i) => (i < length ? byte : 0))
  return `${ipText(prefix)}/${length * 8}`
}

/** @returns the places of a range: each wider one has twice as many */
export function rangePlaces(sitePlaces: number, index: number): number {
  return sitePlaces * 2 ** index
}

/** Number of places that each range of addresses holds. */
export class RangeCounts {
  readonly #counts = new Map<string, number>()

  /** @param sitePlaces places of the narrowest range @returns whether all ranges have a place left */
  hasRoom(ranges: AddressRanges, sitePlaces: number): boolean {
    return ranges.every((range, i) => this.#of(range) < rangePlaces(sitePlaces, i))
  }

  add(ranges: AddressRanges): void {
    for (const range of ranges) this.#counts.set(range, this.#of(range) + 1)
  }

  remove(ranges: AddressRanges): void {
    for (const range of ranges) {
      const count = this.#of(range)
      if (count > 1) this.#counts.set(range, count - 1)
      else this.#counts.delete(range)
    }
  }

  #of(range: string): number {
    return this.#counts.get(range) ?? 0
  }
}
