/**
 * Bloom filters: whether a segment, or a part of one, may have a key. With 10 bits a key, one of 120 absent keys passes.
 * @module
 */

const BITS_PER_KEY = 10
const PROBES = 7
const STEP_SEED = 0x9e3779b9

/** FNV-1a with the final mix of MurmurHash3, 32 bits. */
export function filterHash(key: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ (key[i] as number), 0x01000193)
  return mixed(hash)
}

export function filterLength(keys: number): number {
  return Math.ceil((keys * BITS_PER_KEY) / 8)
}

/** @param hashes of the keys */
export function buildFilter(hashes: readonly number[]): Uint8Array {
  const filter = new Uint8Array(filterLength(hashes.length))
  const bits = filter.length * 8
  for (const hash of hashes) {
    const step = stepOf(hash)
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = (hash + probe * step) % bits
      filter[bit >> 3] = (filter[bit >> 3] as number) | (1 << (bit & 7))
    }
  }
  return filter
}

/** An empty filter may contain every key. */
export function mayContain(filter: Uint8Array, hash: number): boolean {
  if (filter.length === 0) return true
  const bits = filter.length * 8
  const step = stepOf(hash)
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = (hash + probe * step) % bits
    if (((filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** Distance between the bits of a key. */
function stepOf(hash: number): number {
  return (mixed(hash ^ STEP_SEED) | 1) >>> 0
}

function mixed(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
