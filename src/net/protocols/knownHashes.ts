/**
 * The blocks or transactions that a peer is known to have.
 * @see docs/reference/p2p.md sections 7 and 8
 * @module
 */
import { type Random, randomUint32 } from '../../base/ports/random.ts'
import { readUint } from '../../base/primitives/bytes.ts'

const FIRST_BITS = 6

/** Secret factors of the position of a hash: peers choose what they announce, and must not be able to make it collide. */
export interface HashFactors {
  readonly high: number
  readonly low: number
}

export function randomFactors(random: Random): HashFactors {
  return { high: randomUint32(random) | 1, low: randomUint32(random) | 1 }
}

/**
 * A bounded set of hashes that forgets the oldest half when it is full. It keeps 8 bytes of each hash. If two hashes
 * share them, one item is not sent; there is no other effect.
 */
export class KnownHashes {
  readonly #half: number
  readonly #factors: HashFactors
  #recent: FingerprintTable
  #older: FingerprintTable

  /** @param capacity maximum number of hashes; at least the newest half of them is known */
  constructor(capacity: number, factors: HashFactors) {
    this.#half = Math.max(1, Math.floor(capacity / 2))
    this.#factors = factors
    this.#recent = new FingerprintTable(factors)
    this.#older = new FingerprintTable(factors)
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  has(hash: Uint8Array): boolean {
    return this.#recent.has(hash) || this.#older.has(hash)
  }

  /** @returns whether the hash is new */
  add(hash: Uint8Array): boolean {
    if (this.#recent.has(hash)) return false
    const isNew = !this.#older.has(hash)
    if (this.#recent.size === this.#half) {
      this.#older = this.#recent
      this.#recent = new FingerprintTable(this.#factors)
    }
    this.#recent.add(hash)
    return isNew
  }
}

/** Open addressing; two words per entry, of which 0, 0 is free. Grows by doubling. */
class FingerprintTable {
  readonly #factors: HashFactors
  #bits = FIRST_BITS
  #words = new Uint32Array(2 << FIRST_BITS)
  size = 0

  constructor(factors: HashFactors) {
    this.#factors = factors
  }

  has(hash: Uint8Array): boolean {
    const high = readUint(hash, 0, 4)
    const low = lowOf(hash)
    return this.#words[this.#slot(high, low) * 2 + 1] !== 0
  }

  /** The hash must not be in the table. */
  add(hash: Uint8Array): void {
    if (this.size * 4 >= this.#words.length) this.#grow()
    this.#insert(readUint(hash, 0, 4), lowOf(hash))
    this.size++
  }

  /** The entry's slot, or the free one where it belongs. */
  #slot(high: number, low: number): number {
    const words = this.#words
    const mask = words.length / 2 - 1
    const { high: a, low: b } = this.#factors
    let slot = (Math.imul(high, a) + Math.imul(low, b)) >>> (32 - this.#bits)
    while (words[slot * 2 + 1] !== 0 && (words[slot * 2] !== high || words[slot * 2 + 1] !== low)) {
      slot = (slot + 1) & mask
    }
    return slot
  }

  #insert(high: number, low: number): void {
    const slot = this.#slot(high, low)
    this.#words[slot * 2] = high
    this.#words[slot * 2 + 1] = low
  }

  #grow(): void {
    const before = this.#words
    this.#bits++
    this.#words = new Uint32Array(2 << this.#bits)
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] !== 0) this.#insert(before[at] as number, before[at + 1] as number)
    }
  }
}

/** Never 0. */
function lowOf(hash: Uint8Array): number {
  return readUint(hash, 4, 4) || 1
}
