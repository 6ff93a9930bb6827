import { KEY_HASH_CACHE_ITEMS } from '../base/limits/limits.ts'
import { keccak256 } from '../base/primitives/keccak.ts'

const HASH_BYTES = 32
const INITIAL_ITEMS = 64

/**
 * Keccak-256 of addresses and slots, the keys of both the flat view and the tries. Recent hashes are cached, so that a
 * key that is read, written and stored is hashed once.
 */
export class KeyHashes {
  readonly #addresses = new HashMemo(20)
  readonly #slots = new HashMemo(32)

  /** @returns 32 bytes */
  ofAddress(address: Uint8Array): Uint8Array {
    return this.#addresses.hash(address)
  }

  /** @returns 32 bytes */
  ofSlot(slot: Uint8Array): Uint8Array {
    return this.#slots.hash(slot)
  }
}

/**
 * Each key has one position, and each position holds the key that was inserted last. Stores plain bytes, because
 * objects with the lifetime of a cache entry cost the garbage collector more than hashing.
 */
class HashMemo {
  readonly #width: number
  #count = INITIAL_ITEMS
  #keys: Uint8Array
  #hashes: Uint8Array
  #isUsed: Uint8Array
  #misses = 0

  constructor(width: number) {
    this.#width = width
    this.#keys = new Uint8Array(INITIAL_ITEMS * width)
    this.#hashes = new Uint8Array(INITIAL_ITEMS * HASH_BYTES)
    this.#isUsed = new Uint8Array(INITIAL_ITEMS)
  }

  hash(key: Uint8Array): Uint8Array {
    const at = this.#placeOf(key)
    if (this.#isAt(at, key)) return this.#hashes.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES)
    const hash = keccak256(key)
    if (++this.#misses > this.#count && this.#count < KEY_HASH_CACHE_ITEMS) this.#grow()
    this.#set(this.#placeOf(key), key, hash)
    return hash
  }

  #isAt(place: number, key: Uint8Array): boolean {
    if (this.#isUsed[place] === 0) return false
    const keys = this.#keys
    const width = this.#width
    for (let i = width - 1, at = place * width; i >= 0; i--) if (keys[at + i] !== key[i]) return false
    return true
  }

  /** Small numbers differ in the last bytes, hashes and addresses in all of them. */
  #placeOf(key: Uint8Array): number {
    const end = this.#width
    const low =
      ((key[end - 4] as number) << 24) |
      ((key[end - 3] as number) << 16) |
      ((key[end - 2] as number) << 8) |
      (key[end - 1] as number)
    const high = ((key[0] as number) << 16) | ((key[1] as number) << 8) | (key[2] as number)
    const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1)
    return (mixed ^ (mixed >>> 15)) & (this.#count - 1)
  }

  #grow(): void {
    const keys = this.#keys
    const hashes = this.#hashes
    const isUsed = this.#isUsed
    this.#count *= 4
    this.#misses = 0
    this.#keys = new Uint8Array(this.#count * this.#width)
    this.#hashes = new Uint8Array(this.#count * HASH_BYTES)
    this.#isUsed = new Uint8Array(this.#count)
    for (let at = 0; at < isUsed.length; at++) {
      if (isUsed[at] === 0) continue
      const key = keys.subarray(at * this.#width, (at + 1) * this.#width)
      this.#set(this.#placeOf(key), key, hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))
    }
  }

  #set(place: number, key: Uint8Array, hash: Uint8Array): void {
    this.#keys.set(key, place * this.#width)
    this.#hashes.set(hash, place * HASH_BYTES)
    this.#isUsed[place] = 1
  }
}
