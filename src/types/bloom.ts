/**
 * The 2048-bit Bloom filter over the addresses and topics of logs.
 * @see Yellow Paper 4.4.1
 * @module
 */
import { equalBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { bytePool } from '../base/primitives/smallBytes.ts'
import type { Log } from './receipt.ts'

const BLOOM_BYTES = 256
/** Each bit number is derived from one of 3 byte pairs of the hash. */
const BITS_PER_ENTRY = 3

/** The blooms of a block's receipts share buffers, and are released together. */
const newBloom = bytePool(16 * BLOOM_BYTES)

/** Bloom filter of no logs, shared by all receipts without logs: must not be changed. */
export const EMPTY_BLOOM: Uint8Array = new Uint8Array(BLOOM_BYTES)

/** Bloom filter of the given logs, 256 bytes; must not be changed. */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM
  const bloom = newBloom(BLOOM_BYTES)
  let previous: Log | undefined
  for (const log of logs) {
    // Consecutive logs often share their contract and event: entries of the previous log are already included.
    if (!isSame(log.address, previous?.address)) addToBloom(bloom, log.address)
    const { topics } = log
    for (let i = 0; i < topics.length; i++) {
      const topic = topics[i] as Uint8Array
      if (!isSame(topic, previous?.topics[i])) addToBloom(bloom, topic)
    }
    previous = log
  }
  return bloom
}

function isSame(entry: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && equalBytes(entry, other)
}

/** @param entry an address or a topic */
function addToBloom(bloom: Uint8Array, entry: Uint8Array): void {
  const hash = keccak256(entry)
  for (let i = 0; i < BITS_PER_ENTRY; i++) {
    const bit = bloomBit(hash, i)
    const at = BLOOM_BYTES - 1 - (bit >> 3)
    bloom[at] = (bloom[at] as number) | (1 << (bit & 7))
  }
}

/**
 * Whether an entry may be included; false is certain.
 * @param hash keccak256 of the entry
 */
function bloomContainsHashed(bloom: Uint8Array, hash: Uint8Array): boolean {
  for (let i = 0; i < BITS_PER_ENTRY; i++) {
    const bit = bloomBit(hash, i)
    if (((bloom[BLOOM_BYTES - 1 - (bit >> 3)] as number) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** A test for many blooms: whether a bloom may include at least one entry of each list. */
export class BloomQuestion {
  readonly #lists: readonly (readonly Uint8Array[])[]
  /** Hashes of the entries; computed for the first bloom. */
  #hashes: readonly (readonly Uint8Array[])[] | undefined

  constructor(lists: readonly (readonly Uint8Array[])[]) {
    this.#lists = lists
  }

  /** Whether the bloom may match; false is certain. */
  mayHold(bloom: Uint8Array): boolean {
    this.#hashes ??= this.#lists.map((entries) => entries.map(keccak256))
    return this.#hashes.every((entries) => entries.some((hash) => bloomContainsHashed(bloom, hash)))
  }
}

/** Adds all bits of `other` to `bloom`. */
export function mergeBloom(bloom: Uint8Array, other: Uint8Array): void {
  if (other === EMPTY_BLOOM) return
  for (let i = 0; i < BLOOM_BYTES; i++) bloom[i] = (bloom[i] as number) | (other[i] as number)
}

function bloomBit(hash: Uint8Array, index: number): number {
  return (((hash[2 * index] as number) << 8) | (hash[2 * index + 1] as number)) & 0x7ff
}
