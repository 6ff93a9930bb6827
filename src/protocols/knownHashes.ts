/**
 * The blocks or transactions that a peer is known to have.
 * @see p2p.md sections 7 and 8
 * @module
 */
import { readUint } from '../primitives/bytes.ts'

const FIRST_CAPACITY = 64

/**
 * A bounded set of hashes that forgets the oldest half when it is full. It keeps 8 bytes of each hash: a collision has
 * the only effect that one item is not sent.
 */
export class KnownHashes {
  readonly #half: number
  #recent = new FingerprintTable()
  #older = new FingerprintTable()

  /** @param capacity greatest number of hashes; at least the newest half of it is known */
  constructor(capacity: number) {
    this.#half = Math.max(1, Math.floor(capacity / 2))
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
      this.#recent = new FingerprintTable()
    }
    this.#recent.add(hash)
    return isNew
  }
}

/** Open addressing; two words per entry, of which 0, 0 is free. Grows by doubling. */
class FingerprintTable {
  #words = new Uint32Array(FIRST_CAPACITY * 2)
  size = 0

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
    let slot = (high ^ low) & mask
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
    this.#words = new Uint32Array(before.length * 2)
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] !== 0) this.#insert(before[at] as number, before[at + 1] as number)
    }
  }
}

/** Never 0. */
function lowOf(hash: Uint8Array): number {
  return readUint(hash, 4, 4) || 1
}
