/**
 * Hex texts of JSON-RPC.
 * @module
 */
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { LruCache } from '../../../src/base/primitives/lruCache.ts'
import { checksumAddress } from '../../../src/types/address.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/i
const HASH = /^0x[0-9a-f]{64}$/i
const DATA = /^0x(?:[0-9a-f]{2})*$/i

export const isAddress = (text: string): boolean => ADDRESS.test(text)
export const isHash = (text: string): boolean => HASH.test(text)
/** Whole bytes. */
export const isData = (text: string): boolean => DATA.test(text)

/** @returns 0n for a field that a node left out or filled with nonsense */
export function quantity(hex: unknown): bigint {
  return typeof hex === 'string' && /^0x[0-9a-f]{1,64}$/i.test(hex) ? BigInt(hex) : 0n
}

/**
 * For block numbers, indexes and times, which are exact as numbers.
 * @returns at most the greatest exact number, so that loops over what a node counts have an end
 */
export function count(hex: unknown): number {
  return Math.min(Number(quantity(hex)), Number.MAX_SAFE_INTEGER)
}

export function toQuantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

/** Number of bytes of data. */
export function byteLength(hex: string): number {
  return Math.max(0, (hex.length - 2) >> 1)
}

const MAX_CHECKSUMS = 1000
/** Lists that follow the head write the same addresses again and again. */
const checksums = new LruCache<string, string>(MAX_CHECKSUMS)

/** Mixed-case by EIP-55; a text that is no address stays as it is. */
export function checksummed(address: string): string {
  if (!isAddress(address)) return address
  const known = checksums.get(address)
  if (known !== undefined) return known
  const checked = checksumAddress(hexToBytes(address))
  checksums.set(address, checked)
  return checked
}

/** `0x1234ab…89ef`: the first and the last digits. Short texts stay whole. */
export function shortened(hex: string, digits = 6): string {
  return hex.length <= 2 * digits + 4 ? hex : `${hex.slice(0, 2 + digits)}…${hex.slice(-digits)}`
}
