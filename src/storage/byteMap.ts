import { hashOfKey } from './keyHash.ts'
import { keyToText } from './keyText.ts'

/** An entry is a header of two words (lengths of key and value), the key, the value, and padding to a whole word. */
const HEADER_WORDS = 2
const HEADER_BYTES = 4 * HEADER_WORDS
const FIRST_CHUNK_BYTES = 4 * 1024
const CHUNK_BYTES = 64 * 1024
/** A place is the number of a chunk (18 bits) and a word in it (14 bits). */
const WORD_BITS = 14
const WORD_MASK = (1 << WORD_BITS) - 1
const MAX_CHUNKS = 1 << (32 - WORD_BITS)
/** A longer entry has its own chunk. */
const LONG_ENTRY_BYTES = CHUNK_BYTES / 4
const FIRST_SLOTS = 64
const NO_PLACE = 0

class Chunk {
  readonly bytes: Uint8Array
  readonly words: Uint32Array
  /** Words that hold entries, and the part of them whose entries were replaced or deleted. */
  used = 0
  dead = 0

  constructor(byteLength: number) {
    this.words = new Uint32Array(byteLength >> 2)
    this.bytes = new Uint8Array(this.words.buffer)
  }

  hasRoom(words: number): boolean {
    return this.used + words <= this.words.length
  }

  /** Whether copying the live entries frees more than it copies. */
  get isSparse(): boolean {
    return 2 * this.dead > this.used
  }
}

/**
 * A map of byte strings whose entries lie in large buffers, so that the garbage collector does not trace them. Written
 * bytes never change: a replaced value is written to another place, and a buffer whose entries are mostly obsolete is
 * copied and dropped. Values may therefore be returned as views.
 */
export class ByteMap {
  /** Chunk 0 does not exist, so that no entry is at place 0. */
  readonly #chunks: (Chunk | undefined)[] = [undefined]
  readonly #freeNumbers: number[] = []
  #current = 0
  /** Open addressing with linear probing: the place and the hash of each entry. */
  #places = new Uint32Array(FIRST_SLOTS)
  #hashes = new Int32Array(FIRST_SLOTS)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** @returns a view that is never written to */
  get(key: Uint8Array): Uint8Array | undefined {
    const slot = this.#find(key, hashOfKey(key))
    const place = this.#places[slot] as number
    if (place === NO_PLACE) return undefined
    const { bytes, words } = this.#chunks[place >>> WORD_BITS] as Chunk
    const word = place & WORD_MASK
    const start = 4 * word + HEADER_BYTES + (words[word] as number)
    return bytes.subarray(start, start + (words[word + 1] as number))
  }

  /** Copies key and value. @param hash that of the key @returns whether the key is new */
  set(key: Uint8Array, value: Uint8Array, hash: number = hashOfKey(key)): boolean {
    const slot = this.#find(key, hash)
    const place = this.#append(key, value)
    // Read after the addition, which may move the entries of a chunk to other places. The slots do not change.
    const before = this.#places[slot] as number
    this.#places[slot] = place
    if (before !== NO_PLACE) {
      this.#drop(before)
      return false
    }
    this.#hashes[slot] = hash
    this.#size++
    if (2 * this.#size > this.#places.length) this.#grow()
    return true
  }

  /** @returns whether the key existed */
  delete(key: Uint8Array): boolean {
    const slot = this.#find(key, hashOfKey(key))
    const place = this.#places[slot] as number
    if (place === NO_PLACE) return false
    this.#vacate(slot)
    this.#size--
    this.#drop(place)
    return true
  }

  /** The keys as text (keyText.ts), in no particular order. The map must not change meanwhile. */
  *keys(): Generator<string, void, undefined> {
    for (const place of this.#places) if (place !== NO_PLACE) yield keyToText(this.#keyAt(place))
  }

  #keyAt(place: number): Uint8Array {
    const { bytes, words } = this.#chunks[place >>> WORD_BITS] as Chunk
    const word = place & WORD_MASK
    const start = 4 * word + HEADER_BYTES
    return bytes.subarray(start, start + (words[word] as number))
  }

  /** The slot of the key, or the empty slot for it. */
  #find(key: Uint8Array, hash: number): number {
    const places = this.#places
    const hashes = this.#hashes
    const mask = places.length - 1
    let slot = hash & mask
    for (;;) {
      const place = places[slot] as number
      if (place === NO_PLACE || (hashes[slot] === hash && this.#isKeyAt(place, key))) return slot
      slot = (slot + 1) & mask
    }
  }

  #isKeyAt(place: number, key: Uint8Array): boolean {
    const { bytes, words } = this.#chunks[place >>> WORD_BITS] as Chunk
    const word = place & WORD_MASK
    const { length } = key
    if (words[word] !== length) return false
    const start = 4 * word + HEADER_BYTES
    for (let i = 0; i < length; i++) if (bytes[start + i] !== key[i]) return false
    return true
  }

  #append(key: Uint8Array, value: Uint8Array): number {
    const length = wordsOf(key.length, value.length)
    const number = this.#chunkFor(length)
    const chunk = this.#chunks[number] as Chunk
    const { bytes, words, used } = chunk
    words[used] = key.length
    words[used + 1] = value.length
    const start = 4 * used + HEADER_BYTES
    bytes.set(key, start)
    bytes.set(value, start + key.length)
    chunk.used += length
    return placeOf(number, used)
  }

  /** @returns the number of a chunk with room */
  #chunkFor(words: number): number {
    if (4 * words > LONG_ENTRY_BYTES) return this.#addChunk(4 * words)
    const full = this.#current
    const chunk = this.#chunks[full]
    if (chunk?.hasRoom(words)) return full
    const before = chunk?.bytes.length ?? FIRST_CHUNK_BYTES / 2
    this.#current = this.#addChunk(Math.min(CHUNK_BYTES, Math.max(2 * before, 4 * words)))
    if (chunk?.isSparse) this.#evacuate(full)
    // The entries of the sparse chunk may have filled the new one.
    return this.#chunkFor(words)
  }

  #addChunk(byteLength: number): number {
    const number = this.#freeNumbers.pop() ?? this.#chunks.length
    if (number >= MAX_CHUNKS) throw new RangeError('the store in memory is full')
    this.#chunks[number] = new Chunk(byteLength)
    return number
  }

  /** Notes that the entry is obsolete. */
  #drop(place: number): void {
    const number = place >>> WORD_BITS
    const chunk = this.#chunks[number] as Chunk
    const word = place & WORD_MASK
    chunk.dead += wordsOf(chunk.words[word] as number, chunk.words[word + 1] as number)
    if (number !== this.#current && chunk.isSparse) this.#evacuate(number)
  }

  /** Copies the live entries of a chunk to others, and removes it. */
  #evacuate(number: number): void {
    const chunk = this.#chunks[number] as Chunk
    const { bytes, words, used } = chunk
    for (let word = 0; word < used; ) {
      const [keyLength, valueLength] = [words[word] as number, words[word + 1] as number]
      const start = 4 * word + HEADER_BYTES
      const key = bytes.subarray(start, start + keyLength)
      const slot = this.#slotOf(placeOf(number, word), hashOfKey(key))
      if (slot >= 0) {
        const end = start + keyLength
        this.#places[slot] = this.#append(key, bytes.subarray(end, end + valueLength))
      }
      word += wordsOf(keyLength, valueLength)
    }
    this.#chunks[number] = undefined
    this.#freeNumbers.push(number)
  }

  /** The slot that refers to the entry at `place`; -1 if the entry is obsolete. */
  #slotOf(place: number, hash: number): number {
    const mask = this.#places.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const other = this.#places[slot] as number
      if (other === place) return slot
      if (other === NO_PLACE) return -1
    }
  }

  /** Empties a slot, and moves the entries behind it that a lookup would no longer find. */
  #vacate(slot: number): void {
    const places = this.#places
    const hashes = this.#hashes
    const mask = places.length - 1
    let hole = slot
    for (let next = (hole + 1) & mask; places[next] !== NO_PLACE; next = (next + 1) & mask) {
      const home = (hashes[next] as number) & mask
      if (((next - home) & mask) < ((next - hole) & mask)) continue
      places[hole] = places[next] as number
      hashes[hole] = hashes[next] as number
      hole = next
    }
    places[hole] = NO_PLACE
  }

  #grow(): void {
    const [places, hashes] = [this.#places, this.#hashes]
    this.#places = new Uint32Array(2 * places.length)
    this.#hashes = new Int32Array(2 * places.length)
    const mask = this.#places.length - 1
    for (let i = 0; i < places.length; i++) {
      if (places[i] === NO_PLACE) continue
      const hash = hashes[i] as number
      let slot = hash & mask
      while (this.#places[slot] !== NO_PLACE) slot = (slot + 1) & mask
      this.#places[slot] = places[i] as number
      this.#hashes[slot] = hash
    }
  }
}

function placeOf(chunk: number, word: number): number {
  return ((chunk << WORD_BITS) | word) >>> 0
}

function wordsOf(keyLength: number, valueLength: number): number {
  return HEADER_WORDS + ((keyLength + valueLength + 3) >>> 2)
}
