import { KEY_HASH_CACHE_ITEMS } from '../config/limits.ts'
import { equalBytes } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/keccak.ts'

const INITIAL_ITEMS = 256

/**
 * Keccak-256 of addresses and slots: keys of both the flat view and the tries. The last ones are remembered, so that a key
 * that is read, written and stored is hashed once.
 */
export class KeyHashes {
  readonly #addresses = new HashMemo(20)
  readonly #slots = new HashMemo(32)

  /** @returns 32 bytes, shared: not to be changed */
  ofAddress(address: Uint8Array): Uint8Array {
    return this.#addresses.hash(address)
  }

  /** @returns 32 bytes, shared: not to be changed */
  ofSlot(slot: Uint8Array): Uint8Array {
    return this.#slots.hash(slot)
  }
}

/** A direct-mapped cache: each key has one place, and the last key of a place stays. Grows with what it has held. */
class HashMemo {
  readonly #width: number
  #keys: (Uint8Array | undefined)[] = new Array(INITIAL_ITEMS)
  #hashes: (Uint8Array | undefined)[] = new Array(INITIAL_ITEMS)
  #misses = 0

  constructor(width: number) {
    this.#width = width
  }

  hash(key: Uint8Array): Uint8Array {
    const at = this.#placeOf(key)
    const known = this.#keys[at]
    if (known !== undefined && equalBytes(known, key)) return this.#hashes[at] as Uint8Array
    const hash = keccak256(key)
    if (++this.#misses > this.#keys.length && this.#keys.length < KEY_HASH_CACHE_ITEMS) this.#grow()
    const place = this.#placeOf(key)
    this.#keys[place] = key.slice()
    this.#hashes[place] = hash
    return hash
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
    return (mixed ^ (mixed >>> 15)) & (this.#keys.length - 1)
  }

  #grow(): void {
    const [keys, hashes] = [this.#keys, this.#hashes]
    this.#keys = new Array(keys.length * 4)
    this.#hashes = new Array(keys.length * 4)
    this.#misses = 0
    for (const [i, key] of keys.entries()) {
      if (key === undefined) continue
      const at = this.#placeOf(key)
      this.#keys[at] = key
      this.#hashes[at] = hashes[i]
    }
  }
}
