/**
 * A hash table from fixed-width byte strings to small integers, numbered from 0 in order of insertion. Entries are
 * never removed. It uses open addressing in typed arrays, so a lookup allocates no strings or objects.
 * @module
 */
import { type Random, randomUint32 } from '../base/ports/random.ts'
import { EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { smallBytes } from '../base/primitives/smallBytes.ts'

/** Initial capacity: most states, namely those of calls, access few accounts and slots. */
const INITIAL_CAPACITY = 8
/** The index of an empty table; never written to. */
const FREE = new Int32Array(1)

let seedOfNewTables = 0

/**
 * Sets a secret seed for all tables created later in this process, so that an attacker cannot choose colliding keys.
 */
export function seedByteTables(random: Random): void {
  seedOfNewTables = randomUint32(random)
}

export class ByteTable {
  readonly #width: number
  #seed = seedOfNewTables
  /** id + 1, or 0 for a free position; the length is a power of two, and at most half is used. */
  #index = FREE
  /** The keys in sequence, with capacity for as many as the index allows. */
  #bytes = EMPTY_BYTES
  /** Scopes by id. */
  #scopes: number[] = []
  /** The id found last: the same key is often looked up several times in succession. */
  #last = 0

  /** @param width length of all keys in bytes */
  constructor(width: number) {
    this.#width = width
  }

  /** @returns the id, or -1 when the key is absent */
  find(scope: number, key: Uint8Array): number {
    if (this.#isAt(this.#last, scope, key)) return this.#last
    const id = (this.#index[this.#position(scope, key)] as number) - 1
    if (id >= 0) this.#last = id
    return id
  }

  /** @returns the id of the key; a key that was absent gets the previous number of keys */
  add(scope: number, key: Uint8Array): number {
    let position = this.#position(scope, key)
    const known = this.#index[position] as number
    if (known !== 0) return known - 1
    const id = this.#scopes.length
    if (id * this.#width === this.#bytes.length) {
      this.#grow()
      position = this.#position(scope, key)
    }
    this.#bytes.set(key, id * this.#width)
    this.#scopes.push(scope)
    this.#index[position] = id + 1
    return id
  }

  scopeOf(id: number): number {
    return this.#scopes[id] as number
  }

  /** Returns a copy. */
  keyOf(id: number): Uint8Array {
    return this.#bytes.slice(id * this.#width, (id + 1) * this.#width)
  }

  clone(): ByteTable {
    const copy = new ByteTable(this.#width)
    if (this.#scopes.length === 0) return copy
    copy.#seed = this.#seed
    copy.#index = this.#index.slice()
    copy.#bytes = this.#bytes.slice()
    copy.#scopes = this.#scopes.slice()
    return copy
  }

  /** Position of the key, or the free position for it. */
  #position(scope: number, key: Uint8Array): number {
    const index = this.#index
    const mask = index.length - 1
    for (let at = this.#hash(scope, key, 0) & mask; ; at = (at + 1) & mask) {
      const entry = index[at] as number
      if (entry === 0 || this.#isAt(entry - 1, scope, key)) return at
    }
  }

  #isAt(id: number, scope: number, key: Uint8Array): boolean {
    if (this.#scopes[id] !== scope) return false
    const bytes = this.#bytes
    const width = this.#width
    // Compares from the end, where protocol values differ first.
    for (let i = width - 1, at = id * width; i >= 0; i--) if (bytes[at + i] !== key[i]) return false
    return true
  }

  #hash(scope: number, key: Uint8Array, offset: number): number {
    let hash = this.#seed ^ scope
    for (let i = offset; i < offset + this.#width; i += 4) {
      const word =
        ((key[i] as number) << 24) |
        ((key[i + 1] as number) << 16) |
        ((key[i + 2] as number) << 8) |
        (key[i + 3] as number)
      // With one multiplication, the highest bit of a word would pass unchanged, and the next word could cancel it.
      hash = Math.imul(hash ^ word, 0x9e3779b1)
      hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
    }
    return (hash ^ (hash >>> 14)) >>> 3
  }

  #grow(): void {
    const scopes = this.#scopes
    const size = scopes.length
    const capacity = Math.max(size * 2, INITIAL_CAPACITY)
    const bytes = smallBytes(capacity * this.#width)
    bytes.set(this.#bytes)
    this.#bytes = bytes
    this.#index = new Int32Array(capacity * 2)
    const mask = capacity * 2 - 1
    for (let id = 0; id < size; id++) {
      let at = this.#hash(scopes[id] as number, bytes, id * this.#width) & mask
      while (this.#index[at] !== 0) at = (at + 1) & mask
      this.#index[at] = id + 1
    }
  }
}
