/**
 * Reads genesis files: keys are case-insensitive at every level; numbers may have any size and be JSON numbers, decimal
 * strings or 0x hex; null means absent.
 * @module
 */
import { bytesToBigInt, hasHexPrefix, padLeft, tryHexToBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'

export type GenesisError = NodeError<{ readonly code: 'INVALID_GENESIS' }>

export function genesisError(message: string, cause?: unknown): GenesisError {
  return new NodeError({ code: 'INVALID_GENESIS' }, message, cause === undefined ? undefined : { cause })
}

/** An integer that a double may not represent exactly. */
const LONG_INTEGER = /-?\b\d{16,}\b(?![.eE])/g
const QUOTE = '"'
/** Decimal digits of 2^256 - 1. */
const MAX_DIGITS = 78

/**
 * Parses JSON; integers above 2^53 become decimal strings, so that no digit is lost.
 * @throws {NodeError} INVALID_GENESIS
 */
export function parseGenesisJson(text: string): unknown {
  try {
    return JSON.parse(quoteUnsafeIntegers(text))
  } catch (cause) {
    throw genesisError(`Unable to load genesis file. ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

/** Strings are skipped without an expression: one of several megabytes would exhaust its stack. */
function quoteUnsafeIntegers(text: string): string {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf(QUOTE, at)
    const end = start < 0 ? text.length : endOfString(text, start)
    const plain = text.slice(at, start < 0 ? end : start)
    parts.push(plain.length < 16 ? plain : plain.replace(LONG_INTEGER, quoteUnsafeInteger))
    if (start >= 0) parts.push(text.slice(start, end))
    at = end
  }
  return parts.join('')
}

/** @param start the position of its first quote */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf(QUOTE, at)
    if (at < 0) return text.length
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

function quoteUnsafeInteger(token: string): string {
  return Number.isSafeInteger(Number(token)) ? token : `"${token}"`
}

/** An object of the file, accessed by lower-case keys. */
export class GenesisObject {
  readonly #values = new Map<string, unknown>()

  constructor(value: unknown, name: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalid(`${name} must be an object`)
    }
    for (const [key, member] of Object.entries(value)) {
      if (member !== null) this.#values.set(key.toLowerCase(), member)
    }
  }

  has(key: string): boolean {
    return this.#values.has(key)
  }

  get(key: string): unknown {
    return this.#values.get(key)
  }

  entries(): IterableIterator<[string, unknown]> {
    return this.#values.entries()
  }

  object(key: string): GenesisObject | undefined {
    const value = this.#values.get(key)
    return value === undefined ? undefined : new GenesisObject(value, key)
  }

  boolean(key: string): boolean {
    const value = this.#values.get(key)
    if (value === undefined || value === false || value === 'false') return false
    if (value === true || value === 'true') return true
    throw invalid(`${key} must be a boolean but was '${String(value)}'`)
  }

  integer(key: string): bigint | undefined {
    const value = this.#values.get(key)
    return value === undefined ? undefined : toInteger(key, value)
  }

  /** An integer within the safe range of a JavaScript number. */
  smallInteger(key: string): number | undefined {
    const value = this.integer(key)
    if (value !== undefined && value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw invalid(`${key} is too large: ${value}`)
    }
    return value === undefined ? undefined : Number(value)
  }

  /** An integer in hex, with or without 0x. */
  hexInteger(key: string, maxBytes: number): bigint | undefined {
    const value = this.#values.get(key)
    return value === undefined ? undefined : bytesToBigInt(toHexBytes(key, value, maxBytes))
  }

  /** Hex with or without 0x, padded with zeros on the left. */
  fixed(key: string, length: number): Uint8Array | undefined {
    const value = this.#values.get(key)
    return value === undefined ? undefined : padLeft(toHexBytes(key, value, length), length)
  }

  bytes(key: string): Uint8Array | undefined {
    const value = this.#values.get(key)
    return value === undefined ? undefined : toHexBytes(key, value, Number.POSITIVE_INFINITY)
  }
}

export function invalid(what: string): GenesisError {
  return genesisError(`Invalid genesis block configuration, ${what}`)
}

const DECIMAL = /^\d+$/
const HEXADECIMAL = /^0x[0-9a-f]+$/i

/** @throws {NodeError} INVALID_GENESIS unless the value is an unsigned integer of at most 256 bits */
export function toInteger(key: string, value: unknown): bigint {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 256) return BigInt(value)
  const text = typeof value === 'string' ? value : ''
  const isHex = HEXADECIMAL.test(text)
  if (!isHex && !DECIMAL.test(text)) throw invalid(`${key} must be a number but was '${String(value).slice(0, 80)}'`)
  const digits = text.replace(isHex ? /^0x0*/i : /^0*/, '')
  const number = digits.length > MAX_DIGITS ? undefined : BigInt(text)
  if (number === undefined || number >> 256n !== 0n) throw invalid(`${key} has more than 256 bits`)
  return number
}

/** @throws {NodeError} INVALID_GENESIS when the value is not hex, or longer than `maxBytes` without leading zeros */
export function toHexBytes(key: string, value: unknown, maxBytes: number): Uint8Array {
  const text = String(value)
  const digits = hasHexPrefix(text) ? text.slice(2) : text
  const bytes = tryHexToBytes(digits.length & 1 ? `0${digits}` : digits)
  if (bytes === undefined) throw invalid(`${key} must be hexadecimal but was '${text.slice(0, 80)}'`)
  if (bytes.length <= maxBytes) return bytes
  const excess = bytes.length - maxBytes
  if (bytes.subarray(0, excess).some((byte) => byte !== 0)) {
    throw invalid(`${key} has ${bytes.length} bytes, the maximum is ${maxBytes}`)
  }
  return bytes.subarray(excess)
}

/** The same values with lower-case keys at every level. */
export function withLowerCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLowerCaseKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toLowerCase(), withLowerCaseKeys(member)]),
  )
}
