/**
 * The binary form of messages between enclaves: fields and counts are preceded by their length, 8 bytes big-endian.
 * @module
 */
import { concatBytes, readUint, writeUint } from '../../base/primitives/bytes.ts'
import { refusal } from './refusal.ts'

const LENGTH_BYTES = 8
const HIGH_BYTES = 4

function length(value: number): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES)
  writeUint(bytes, HIGH_BYTES, value, LENGTH_BYTES - HIGH_BYTES)
  return bytes
}

export const countOf: (value: number) => Uint8Array = length

export function fieldOf(bytes: Uint8Array): Uint8Array {
  return concatBytes(length(bytes.length), bytes)
}

export function fieldsOf(items: readonly Uint8Array[]): Uint8Array {
  return concatBytes(length(items.length), ...items.map(fieldOf))
}

/** Reads a message of any origin. Every function throws {@link malformed} when the bytes end too early. */
export class FieldReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  /** @returns a view of the message */
  field(): Uint8Array {
    const end = this.#number() + this.#at
    if (end > this.#bytes.length) throw malformed('a field is longer than the message')
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  /** @param size the only valid length */
  fixed(size: number): Uint8Array {
    const bytes = this.field()
    if (bytes.length !== size) throw malformed(`a field has ${bytes.length} bytes, not ${size}`)
    return bytes
  }

  /** @param limit largest valid number */
  count(limit: number): number {
    const value = this.#number()
    if (value > limit) throw malformed(`a list has ${value} items; ${limit} are allowed`)
    return value
  }

  /** @throws when the bytes are not UTF-8 */
  text(): string {
    const bytes = this.field()
    try {
      return utf8.decode(bytes)
    } catch (cause) {
      throw malformed('a text is not UTF-8', cause)
    }
  }

  list<T>(limit: number, read: () => T): T[] {
    return Array.from({ length: this.count(limit) }, read)
  }

  #number(): number {
    const end = this.#at + LENGTH_BYTES
    if (end > this.#bytes.length) throw malformed('the message ends too early')
    const high = readUint(this.#bytes, this.#at, HIGH_BYTES)
    const value = readUint(this.#bytes, this.#at + HIGH_BYTES, LENGTH_BYTES - HIGH_BYTES)
    if (high !== 0) throw malformed('a length is out of range')
    this.#at = end
    return value
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** ENCLAVE_REFUSAL with status 400 */
export function malformed(reason: string, cause?: unknown): Error {
  return refusal(400, `malformed message: ${reason}`, cause)
}
