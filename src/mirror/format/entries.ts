/**
 * The entries of a data block. Each is `shared length ‖ length of the rest ‖ length of the value + 1 ‖ rest of the key ‖
 * value`: the key shares its first bytes with the key before it, and 0 as the last length marks a deleted key. Lengths are
 * unsigned LEB128 in their shortest form.
 * @module
 */
import { MAX_MIRROR_KEY_BYTES, MAX_MIRROR_VALUE_BYTES, MIRROR_BLOCK_BYTES } from '../../base/limits/limits.ts'
import { compareBytes, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
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
  while (reader.hasMore) entries.push(reader.next(entries.at(-1)?.key))
  return entries
}

class EntryReader {
  readonly #object: string
  readonly #block: Uint8Array
  #at = 0

  constructor(object: string, block: Uint8Array) {
    this.#object = object
    this.#block = block
  }

  get hasMore(): boolean {
    return this.#at < this.#block.length
  }

  next(before: Uint8Array | undefined): SegmentEntry {
    const shared = this.#length(MAX_MIRROR_KEY_BYTES)
    const rest = this.#length(MAX_MIRROR_KEY_BYTES)
    const valueLength = this.#length(MAX_MIRROR_VALUE_BYTES + 1)
    if (shared > (before?.length ?? 0)) throw this.#damaged('a key shares more bytes than the key before it has')
    if (shared + rest > MAX_MIRROR_KEY_BYTES) throw this.#damaged(`a key has ${shared + rest} bytes`)
    const key = new Uint8Array(shared + rest)
    if (before !== undefined) key.set(before.subarray(0, shared))
    key.set(this.#take(rest), shared)
    if (before !== undefined && compareBytes(before, key) >= 0) throw this.#damaged('its keys are not in order')
    return { key, value: valueLength === 0 ? undefined : this.#take(valueLength - 1) }
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.#block.length) throw this.#damaged('an entry is longer than its block')
    const bytes = this.#block.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  #length(maximum: number): number {
    let length = 0
    for (let i = 0; i < MAX_LENGTH_BYTES; i++) {
      const byte = this.#block[this.#at++]
      if (byte === undefined) throw this.#damaged('a length is cut off')
      length += (byte & 0x7f) * 2 ** (7 * i)
      if (byte >= 0x80) continue
      if (byte === 0 && i > 0) throw this.#damaged('a length is not in its shortest form')
      if (length > maximum) throw this.#damaged(`an entry has a length of ${length}`)
      return length
    }
    throw this.#damaged('a length has too many bytes')
  }

  #damaged(reason: string) {
    return mirrorDamaged(this.#object, reason)
  }
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length)
  let length = 0
  while (length < end && a[length] === b[length]) length++
  return length
}
