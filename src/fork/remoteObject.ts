/**
 * Strict reading of JSON that a remote sent. Each error names the datum by the method and its place in the answer.
 * @module
 */
import { padLeft, tryHexToBytes } from '../base/primitives/bytes.ts'
import { byteCount } from '../base/primitives/printable.ts'
import { malformedAnswer } from './errors.ts'

const HEX = /^0x[0-9a-fA-F]*$/

/** @param length in bytes; undefined: any */
export function readBytes(value: unknown, datum: string, length?: number): Uint8Array {
  const bytes = typeof value === 'string' && HEX.test(value) ? tryHexToBytes(value) : undefined
  if (bytes === undefined || (length !== undefined && bytes.length !== length)) {
    throw malformedAnswer(datum, length === undefined ? 'bytes in hex' : `${byteCount(length)} in hex`, value)
  }
  return bytes
}

/** Some nodes omit leading zeros. @returns `length` bytes */
export function readPadded(value: unknown, datum: string, length: number): Uint8Array {
  const digits = typeof value === 'string' && HEX.test(value) ? value.slice(2) : undefined
  if (digits === undefined || digits.length > 2 * length) {
    throw malformedAnswer(datum, `at most ${byteCount(length)} in hex`, value)
  }
  return padLeft(tryHexToBytes(digits.length & 1 ? `0${digits}` : digits) as Uint8Array, length)
}

export function readUint(value: unknown, datum: string, bits: 64 | 256): bigint {
  const isHex = typeof value === 'string' && HEX.test(value) && value.length > 2 && value.length <= 2 + bits / 4
  if (!isHex) throw malformedAnswer(datum, `an unsigned integer of at most ${bits} bits in hex`, value)
  return BigInt(value)
}

/** A number that JavaScript represents exactly: of a block, an index, a length. */
export function readNumber(value: unknown, datum: string): number {
  const number = Number(readUint(value, datum, 64))
  if (!Number.isSafeInteger(number)) throw malformedAnswer(datum, 'below 2^53', value)
  return number
}

export function readList(value: unknown, datum: string, maxLength: number): readonly unknown[] {
  if (!Array.isArray(value)) throw malformedAnswer(datum, 'a list', value)
  if (value.length > maxLength) throw malformedAnswer(datum, `a list of at most ${maxLength} items`, value)
  return value
}

/** An object in an answer. */
export class RemoteObject {
  readonly #members: Readonly<Record<string, unknown>>
  readonly #datum: string

  /** @param datum such as `eth_getBlockByHash` */
  constructor(value: unknown, datum: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw malformedAnswer(datum, 'an object', value)
    }
    this.#members = value as Readonly<Record<string, unknown>>
    this.#datum = datum
  }

  get names(): string[] {
    return Object.keys(this.#members)
  }

  /** The place of a member in the answer. */
  datum(name: string): string {
    return `${this.#datum}.${name}`
  }

  /** Neither absent nor null. */
  has(name: string): boolean {
    return (this.#members[name] ?? undefined) !== undefined
  }

  raw(name: string): unknown {
    return this.#members[name]
  }

  bytes(name: string, length?: number): Uint8Array {
    return readBytes(this.#members[name], this.datum(name), length)
  }

  uint(name: string, bits: 64 | 256): bigint {
    return readUint(this.#members[name], this.datum(name), bits)
  }

  number(name: string): number {
    return readNumber(this.#members[name], this.datum(name))
  }

  list<T>(name: string, maxLength: number, read: (item: unknown, datum: string) => T): T[] {
    const items = readList(this.#members[name], this.datum(name), maxLength)
    return items.map((item, i) => read(item, `${this.datum(name)}[${i}]`))
  }
}
