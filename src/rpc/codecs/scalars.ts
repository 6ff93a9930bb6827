/**
 * Codecs of single values: bytes, quantities, numbers, text. They accept the forms that clients are known to send,
 * which are more than execution-apis allows; answers follow execution-apis.
 * @module
 */

import { unexpectedValue } from '../../api/errors.ts'
import type { RpcProfile } from '../../api/profile.ts'
import {
  bytesToBigInt,
  bytesToHex,
  hasHexPrefix,
  padLeft,
  quantity,
  tryHexToBigInt,
  tryHexToBytes,
} from '../../base/primitives/bytes.ts'
import { byteCount, described } from '../../base/primitives/printable.ts'
import type { Codec, JsonSchema } from '../method.ts'
import { decodeInteger } from './javaNumber.ts'
import { ADDRESS, BYTES, HASH, UINT, UINT64, UINT256 } from './schemas.ts'
import { answerCodec, parameterCodec } from './support.ts'

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw unexpectedValue('a string', described(value), what)
  return value
}

/** Bytes of hex with any number of digits; an odd first digit becomes its own byte. */
function lenientBytes(value: string): Uint8Array | undefined {
  const start = hasHexPrefix(value) ? 2 : 0
  return tryHexToBytes((value.length - start) & 1 ? `0x0${value.slice(start)}` : value)
}

function atMost(value: unknown, length: number, what: string): Uint8Array {
  const bytes = lenientBytes(text(value, what))
  if (bytes === undefined) throw unexpectedValue('hex', described(value), what)
  if (bytes.length > length) throw unexpectedValue(`at most ${byteCount(length)}`, byteCount(bytes.length), what)
  return padLeft(bytes, length)
}

/** DATA: hex with an even number of digits; `0x` is optional. */
export const data: Codec<Uint8Array> = {
  schema: BYTES,
  parse: (value) => {
    const bytes = tryHexToBytes(text(value, 'data'))
    if (bytes === undefined) throw unexpectedValue('hex of whole bytes', described(value), 'data')
    return bytes
  },
  serialize: bytesToHex,
}

/** Exactly 32 bytes; `0x` is optional. */
export const hash32: Codec<Uint8Array> = {
  schema: HASH,
  parse: (value) => {
    const bytes = tryHexToBytes(text(value, 'hash'))
    if (bytes?.length !== 32)
      throw unexpectedValue('32 bytes of hex', bytes === undefined ? described(value) : byteCount(bytes.length), 'hash')
    return bytes
  },
  serialize: bytesToHex,
}

function sized(value: unknown, length: number, what: string, profile: RpcProfile | undefined): Uint8Array {
  if (profile !== 'geth') return atMost(value, length, what)
  const bytes = tryHexToBytes(text(value, what))
  if (bytes === undefined) throw unexpectedValue('hex of whole bytes', described(value), what)
  if (bytes.length !== length) throw unexpectedValue(byteCount(length), byteCount(bytes.length), what)
  return bytes
}

/** 20 bytes; in Besu's profile shorter values are padded on the left. The checksum of mixed case is not verified. */
export const address: Codec<Uint8Array> = {
  schema: ADDRESS,
  parse: (value, profile) => sized(value, 20, 'address', profile),
  serialize: bytesToHex,
}

/** Up to 32 bytes of hex, padded on the left; `0x` is optional. */
export const word: Codec<Uint8Array> = {
  schema: HASH,
  parse: (value) => atMost(value, 32, 'word'),
  serialize: bytesToHex,
}

/** 32 bytes; in Besu's profile shorter values are padded on the left. */
export const slotWord: Codec<Uint8Array> = {
  schema: HASH,
  parse: (value, profile) => sized(value, 32, 'word', profile),
  serialize: bytesToHex,
}

/** Position in storage, in hex; `0x` is optional. */
export const storagePosition: Codec<Uint8Array> = {
  schema: { title: 'StoragePosition', type: 'string', pattern: '^0x[0-9a-f]{0,64}$' },
  parse: (value) => atMost(value, 32, 'storage position'),
  serialize: bytesToHex,
}

/** QUANTITY of an answer. */
export const uint: Codec<bigint | number> = {
  schema: UINT,
  parse: (value) => decodeInteger(text(value, 'integer'), 64),
  serialize: quantity,
}

/** Wei: a string is always hex, a JSON integer is decimal; up to 256 bits. */
export const wei: Codec<bigint> = {
  schema: UINT256,
  parse: parseUint256,
  serialize: quantity,
}

function parseUint256(value: unknown): bigint {
  if (typeof value === 'bigint') {
    if (BigInt.asUintN(256, value) !== value) throw unexpectedValue('at most 256 bits', described(value), 'wei')
    return value
  }
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || value < 0) throw unexpectedValue('a non-negative integer', String(value), 'wei')
    return BigInt(value)
  }
  const digits = text(value, 'wei')
  const number = tryHexToBigInt(digits, 64)
  if (number !== undefined) return number
  const bytes = lenientBytes(digits)
  if (bytes === undefined || bytes.length > 32)
    throw unexpectedValue(
      'at most 32 bytes of hex',
      bytes === undefined ? described(value) : byteCount(bytes.length),
      'wei',
    )
  return bytesToBigInt(bytes)
}

/** Gas, nonces, times: `Long.decode` of a string (decimal stays decimal), or a JSON integer; at most 64 bits. */
export const uint64: Codec<bigint> = {
  schema: UINT64,
  parse: (value) => {
    if (typeof value === 'bigint') {
      if (BigInt.asUintN(64, value) !== value) throw unexpectedValue('at most 64 bits', described(value))
      return value
    }
    if (typeof value === 'number') {
      if (!Number.isInteger(value) || value < 0) throw unexpectedValue('a non-negative integer', String(value))
      return BigInt(value)
    }
    const digits = text(value, 'integer')
    const number = tryHexToBigInt(digits, 15)
    if (number !== undefined) return number
    // Values with the top bit of 64 set exceed Long's range but are valid nonces and gas limits.
    if (hasHexPrefix(digits) && /^[0-9a-fA-F]{16}$/.test(digits.slice(2))) return BigInt(digits)
    const parsed = decodeInteger(digits, 64)
    if (parsed < 0n) throw unexpectedValue('a non-negative integer', String(parsed))
    return parsed
  },
  serialize: quantity,
}

/** Index of a transaction or ommer, number of blocks: JSON number, or `Integer.decode` of a string. */
export const index: Codec<number> = {
  schema: UINT,
  parse: (value) => {
    const parsed = typeof value === 'number' ? value : Number(decodeInteger(text(value, 'index'), 32))
    if (!Number.isInteger(parsed) || parsed < 0 || parsed > 0x7fffffff)
      throw unexpectedValue(`0 to ${0x7fffffff}`, described(parsed), 'index')
    return parsed
  },
  serialize: quantity,
}

/** JSON number, whose fraction is ignored, or decimal string. */
export const integer: Codec<number> = {
  schema: { type: 'integer' },
  parse: (value) => {
    const parsed = typeof value === 'string' && /^[+-]?[0-9]{1,10}$/.test(value) ? Number(value) : value
    if (typeof parsed !== 'number' || Number.isNaN(parsed)) throw unexpectedValue('an integer', described(value))
    const whole = Math.trunc(parsed)
    if (Math.abs(whole) > 0x7fffffff) throw unexpectedValue('an integer of at most 31 bits', described(value))
    return whole
  },
  serialize: (value) => value,
}

/** true, false, their text in any case, or a number (0 is false). */
export const boolean: Codec<boolean> = {
  schema: { type: 'boolean' },
  parse: (value) => {
    if (typeof value === 'boolean') return value
    if (typeof value === 'number') return value !== 0
    const word = typeof value === 'string' ? value.toLowerCase() : ''
    if (word === 'true') return true
    if (word === 'false') return false
    throw unexpectedValue('a boolean', described(value))
  },
  serialize: (value) => value,
}

/** Text; numbers and booleans are converted. */
export const string: Codec<string> = {
  schema: { type: 'string' },
  parse: (value) => {
    if (typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    throw unexpectedValue('a string', described(value))
  },
  serialize: (value) => value,
}

/** A finite number, also as text: a percentile. */
export const decimal: Codec<number> = {
  schema: { type: 'number' },
  parse: (value) => {
    const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof parsed !== 'number' || !Number.isFinite(parsed)) throw unexpectedValue('a number', described(value))
    return parsed
  },
  serialize: (value) => value,
}

/** Accepts anything: the parameter is not used. */
export const ignored: Codec<unknown> = parameterCodec({}, (value) => value)

/** A value that already is JSON. */
export function json<T>(schema: JsonSchema): Codec<T> {
  return answerCodec(schema, (value) => value)
}
