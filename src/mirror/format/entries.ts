/**
 * The entries of a data block. Each is `shared length ‖ length of the rest ‖ length of the value + 1 ‖ rest of the key ‖
 * value`: the key shares its first bytes with the key before it, and 0 as the last length marks a deleted key. Lengths are
 * unsigned LEB128 in their shortest form.
 * @module
 */
import { MAX_MIRROR_KEY_BYTES, MAX_MIRROR_VALUE_BYTES, MIRROR_BLOCK_BYTES } from '../../base/limits/limits.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { NodeError } from '../../base/primitives/errors.ts'
import { mirrorDamaged } from '../errors.ts'

export interface SegmentEntry {
  readonly key: Uint8Array
  /** undefined: the key was deleted */
  readonly value: Uint8Array | undefined
}

/** Above the length of three length fields. */
const MAX_HEAD_BYTES = 12
const MAX_LENGTH_BYTES = 5

/** Collects the entries of one block. */
export class EntryWriter {
  #bytes = new Uint8Array(MIRROR_BLOCK_BYTES)
  #length = 0
  #last: Uint8Array = EMPTY_BYTES

  get length(): number {
    return this.#length
  }

  /** Upper bound of the length with a further entry. */
  lengthWith({ key, value }: SegmentEntry): number {
    return this.#length + MAX_HEAD_BYTES + key.length + (value?.length ?? 0)
  }

  add(entry: SegmentEntry): void {
    const { key, value } = entry
    this.#reserve(this.lengthWith(entry))
    const shared = this.#length === 0 ? 0 : sharedLength(this.#last, key)
    this.#writeLength(shared)
    this.#writeLength(key.length - shared)
    this.#writeLength(value === undefined ? 0 : value.length + 1)
    this.#write(key.subarray(shared))
    if (value !== undefined) this.#write(value)
    this.#last = key
  }

  /** The entries so far; begins a new block. */
  take(): Uint8Array {
    const block = this.#bytes.slice(0, this.#length)
    if (this.#bytes.length > MIRROR_BLOCK_BYTES) this.#bytes = new Uint8Array(MIRROR_BLOCK_BYTES)
    this.#length = 0
    return block
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return
    const bytes = new Uint8Array(length)
    bytes.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = bytes
  }

  #write(part: Uint8Array): void {
    this.#bytes.set(part, this.#length)
    this.#length += part.length
  }

  #writeLength(length: number): void {
    let rest = length
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }
}

/**
 * @param object name of the segment, for errors
 * @returns in ascending order of their keys; the values are views of `block`
 * @throws {NodeError} MIRROR_DAMAGED
 */
export function decodeEntries(object: string, block: Uint8Array): SegmentEntry[] {
  const reader = new EntryReader(object, block)
  const entries: SegmentEntry[] = []
  while (reader.next()) entries.push({ key: reader.key.slice(), value: reader.value })
  return entries
}

/**
 * Checks a block without making its entries.
 * @returns its last key; undefined for an empty block
 * @throws {NodeError} MIRROR_DAMAGED
 */
export function checkEntries(object: string, block: Uint8Array): Uint8Array | undefined {
  const reader = new EntryReader(object, block)
  while (reader.next());
  return reader.key.length === 0 ? undefined : reader.key.slice()
}

/**
 * Looks a key up in a block that was checked.
 * @returns undefined when the block does not have the key; the value is a view of `block`
 */
export function findEntry(block: Uint8Array, key: Uint8Array): SegmentEntry | undefined {
  const heads = new HeadReader('', block)
  /** Number of first bytes that `key` has in common with the last entry, which is smaller. */
  let common = 0
  while (heads.next()) {
    // It has the byte of the last key that was too small.
    if (heads.shared > common) continue
    // A writer need not share as many bytes as it could.
    common = heads.shared
    const end = heads.shared + heads.rest
    const least = Math.min(end, key.length)
    while (common < least && block[heads.at + common - heads.shared] === key[common]) common++
    if (common === end && end === key.length) return { key, value: heads.value }
    if (common === key.length) return undefined
    if (common < end && (block[heads.at + common - heads.shared] as number) > (key[common] as number)) return undefined
  }
  return undefined
}

/** Reads the lengths of one entry after the other. */
class HeadReader {
  readonly #object: string
  readonly block: Uint8Array
  /** Of the next entry. */
  #next = 0
  /** Bytes that the key shares with the key before it. */
  shared = 0
  /** Length of the rest of the key. */
  rest = 0
  /** Offset of the rest of the key. */
  at = 0
  #valueLength = 0

  constructor(object: string, block: Uint8Array) {
    this.#object = object
    this.block = block
  }

  /** Goes to the next entry. @returns whether there is one */
  next(): boolean {
    if (this.#next >= this.block.length) return false
    this.shared = this.#length(MAX_MIRROR_KEY_BYTES)
    this.rest = this.#length(MAX_MIRROR_KEY_BYTES)
    this.#valueLength = this.#length(MAX_MIRROR_VALUE_BYTES + 1)
    this.at = this.#next
    this.#next = this.at + this.rest + Math.max(this.#valueLength - 1, 0)
    if (this.#next > this.block.length) throw this.damaged('an entry is longer than its block')
    return true
  }

  /** A view of the block; undefined: the key was deleted */
  get value(): Uint8Array | undefined {
    return this.#valueLength === 0 ? undefined : this.block.subarray(this.at + this.rest, this.#next)
  }

  #length(maximum: number): number {
    let length = 0
    for (let i = 0; i < MAX_LENGTH_BYTES; i++) {
      const byte = this.block[this.#next++]
      if (byte === undefined) throw this.damaged('a length is cut off')
      length += (byte & 0x7f) * 2 ** (7 * i)
      if (byte >= 0x80) continue
      if (byte === 0 && i > 0) throw this.damaged('a length is not in its shortest form')
      if (length > maximum) throw this.damaged(`an entry has a length of ${length}`)
      return length
    }
    throw this.damaged('a length has too many bytes')
  }

  damaged(reason: string): NodeError {
    return mirrorDamaged(this.#object, reason)
  }
}

/** Checks the entries, and puts their keys together. */
class EntryReader {
  readonly #heads: HeadReader
  readonly #key = new Uint8Array(MAX_MIRROR_KEY_BYTES)
  #keyLength = 0

  constructor(object: string, block: Uint8Array) {
    this.#heads = new HeadReader(object, block)
  }

  /** Valid until the next entry. */
  get key(): Uint8Array {
    return this.#key.subarray(0, this.#keyLength)
  }

  get value(): Uint8Array | undefined {
    return this.#heads.value
  }

  /** Goes to the next entry. @returns whether there is one @throws {NodeError} MIRROR_DAMAGED */
  next(): boolean {
    const heads = this.#heads
    if (!heads.next()) return false
    const { shared, rest, at, block } = heads
    const length = shared + rest
    if (shared > this.#keyLength) throw heads.damaged('a key shares more bytes than the key before it has')
    if (length > MAX_MIRROR_KEY_BYTES) throw heads.damaged(`a key has ${length} bytes`)
    let isAfter = false
    for (let i = shared; i < length; i++) {
      const byte = block[at + i - shared] as number
      if (!isAfter) {
        if (i >= this.#keyLength || byte > (this.#key[i] as number)) isAfter = true
        else if (byte < (this.#key[i] as number)) break
      }
      this.#key[i] = byte
    }
    if (!isAfter) throw heads.damaged('its keys are not in order')
    this.#keyLength = length
    return true
  }
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length)
  let length = 0
  while (length < end && a[length] === b[length]) length++
  return length
}
