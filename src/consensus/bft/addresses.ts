/**
 * Sets of addresses as arrays: validator sets are small.
 * @module
 */
import { compareBytes, equalBytes } from '../../base/primitives/bytes.ts'

export type Addresses = readonly Uint8Array[]

/** Ascending, without duplicates. */
export function sortAddresses(addresses: Addresses): Uint8Array[] {
  const sorted = [...addresses].sort(compareBytes)
  return sorted.filter((address, i) => i === 0 || !equalBytes(address, sorted[i - 1] as Uint8Array))
}

export function hasAddress(addresses: Addresses, address: Uint8Array): boolean {
  return addresses.some((other) => equalBytes(other, address))
}

export function equalAddresses(a: Addresses, b: Addresses): boolean {
  return a.length === b.length && a.every((address, i) => equalBytes(address, b[i] as Uint8Array))
}
