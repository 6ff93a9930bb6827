/**
 * The 2048-bit bloom filter of a block's or receipt's logs.
 * @see Yellow Paper 4.3.1
 * @module
 */
import { keccak256 } from '../primitives/keccak.ts'
import type { Log } from './receipt.ts'

export const BLOOM_BYTES = 256

/** Sets the three bits of an address or topic. */
function addToBloom(bloom: Uint8Array, item: Uint8Array): void {
  const hash = keccak256(item)
  for (let i = 0; i < 6; i += 2) {
    const bit = (((hash[i] as number) << 8) | (hash[i + 1] as number)) & 2047
    const at = BLOOM_BYTES - 1 - (bit >> 3)
    bloom[at] = (bloom[at] as number) | (1 << (bit & 7))
  }
}

/** 256 bytes */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const log of logs) {
    addToBloom(bloom, log.address)
    for (const topic of log.topics) addToBloom(bloom, topic)
  }
  return bloom
}

/** Adds the bits of one bloom to another. */
export function mergeBloom(into: Uint8Array, bloom: Uint8Array): void {
  for (let i = 0; i < BLOOM_BYTES; i++) into[i] = (into[i] as number) | (bloom[i] as number)
}

/** The bits of an item, to be tested against many blooms. */
export function bloomOf(item: Uint8Array): Uint8Array {
  const bloom = new Uint8Array(BLOOM_BYTES)
  addToBloom(bloom, item)
  return bloom
}

/** false: none of the logs behind `bloom` has the item; true: perhaps one has. */
export function bloomContains(bloom: Uint8Array, bits: Uint8Array): boolean {
  for (let i = 0; i < BLOOM_BYTES; i++) {
    const wanted = bits[i] as number
    if (wanted !== 0 && ((bloom[i] as number) & wanted) !== wanted) return false
  }
  return true
}
