/**
 * Byte strings, hex and unsigned integers. Bytes are `Uint8Array` everywhere inside; hex exists only at the edges.
 * @module
 */

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0)
/** 32 zero bytes. */
export const ZERO_WORD: Uint8Array = new Uint8Array(32)

const HEX_DIGITS = '0123456789abcdef'
const BYTE_TO_HEX: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => HEX_DIGITS.charAt(byte >> 4) + HEX_DIGITS.charAt(byte & 15),
)

/** Hex digit value by char code, 255 for anything else. */
const NIBBLE: Uint8Array = new Uint8Array(256).fill(255)
for (let digit = 0; digit < 16; digit++) {
  NIBBLE[HEX_DIGITS.charCodeAt(digit)] = digit
  NIBBLE[HEX_DIGITS.toUpperCase().charCodeAt(digit)] = digit
}

/** The two digits of each byte as one 16-bit unit, in the host's byte order. */
const DIGIT_PAIRS: Uint16Array = new Uint16Array(
  Uint8Array.from({ length: 512 }, (_, i) => HEX_DIGITS.charCodeAt(i & 1 ? (i >> 1) & 15 : i >> 5)).buffer,
)
const PREFIX_PAIR: number = new Uint16Array(Uint8Array.of(48, 120).buffer)[0] as number
/** Up to this length, joining strings is faster than decoding a buffer of digits. */
const JOINED_BYTES = 16
const SCRATCH_BYTES = 4096
const scratch: Uint16Array = new Uint16Array(SCRATCH_BYTES + 1)
const decoder = new TextDecoder()

function joinedHex(bytes: Uint8Array): string {
  let hex = ''
  for (let i = 0; i < bytes.length; i++) hex += BYTE_TO_HEX[bytes[i] as number]
  return hex
}

/** @param start 0 for the digits with `0x`, 2 for the digits alone */
function decodedHex(bytes: Uint8Array, start: 0 | 2): string {
  const { length } = bytes
  const pairs = length <= SCRATCH_BYTES ? scratch : new Uint16Array(length + 1)
  pairs[0] = PREFIX_PAIR
  for (let i = 0; i < length; i++) pairs[i + 1] = DIGIT_PAIRS[bytes[i] as number] as number
  return decoder.decode(new Uint8Array(pairs.buffer, start, 2 * length + 2 - start))
}

/** Lower-case hex without a prefix. */
export function bytesToHexUnprefixed(bytes: Uint8Array): string {
  return bytes.length < JOINED_BYTES ? joinedHex(bytes) : decodedHex(bytes, 2)
}

/** Lower-case hex with `0x`; the DATA encoding of JSON-RPC. */
export function bytesToHex(bytes: Uint8Array): string {
  return bytes.length < JOINED_BYTES ? `0x${joinedHex(bytes)}` : decodedHex(bytes, 0)
}

/**
 * @param hex even number of digits, with or without `0x`
 * @throws {TypeError} when it is not hex
 */
export function hexToBytes(hex: string): Uint8Array {
  const bytes = tryHexToBytes(hex)
  if (bytes === undefined) throw new TypeError(`not a byte string in hex: ${hex.slice(0, 80)}`)
  return bytes
}

/** Like {@link hexToBytes}, but returns undefined for invalid hex. */
export function tryHexToBytes(hex: string): Uint8Array | undefined {
  const start = hasHexPrefix(hex) ? 2 : 0
  const digits = hex.length - start
  if (digits & 1) return undefined
  const bytes = new Uint8Array(digits >> 1)
  for (let i = 0, at = start; i < bytes.length; i++, at += 2) {
    const high = NIBBLE[hex.charCodeAt(at)] ?? 255
    const low = NIBBLE[hex.charCodeAt(at + 1)] ?? 255
    if ((high | low) > 15) return undefined
    bytes[i] = (high << 4) | low
  }
  return bytes
}

/**
 * The value of `0x` and hex digits, without bytes or text in between.
 * @returns undefined for text that has another form or more than `maxDigits` digits
 */
export function tryHexToBigInt(text: string, maxDigits: number): bigint | undefined {
  const { length } = text
  if (length < 3 || length > maxDigits + 2 || !hasHexPrefix(text)) return undefined
  let value = 0
  for (let i = 2; i < length; i++) {
    const digit = NIBBLE[text.charCodeAt(i)] ?? 255
    if (digit > 15) return undefined
    value = value * 16 + digit
  }
  return value <= Number.MAX_SAFE_INTEGER ? BigInt(value) : BigInt(text)
}

export function hasHexPrefix(text: string): boolean {
  return text.charCodeAt(0) === 48 && (text.charCodeAt(1) | 32) === 120
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const result = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    result.set(part, at)
    at += part.length
  }
  return result
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Lexicographic order; a shorter prefix comes first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

export function isZeroBytes(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}

/** The bytes without leading zeros; a view, not a copy. */
export function trimLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return start === 0 ? bytes : bytes.subarray(start)
}

/**
 * The bytes, padded with zeros on the left.
 * @throws {RangeError} when they are longer than `length`
 */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes
  if (bytes.length > length) throw new RangeError(`${bytes.length} bytes do not fit in ${length}`)
  const padded = new Uint8Array(length)
  padded.set(bytes, length - bytes.length)
  return padded
}

/** Big-endian unsigned integer of any length. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  const { length } = bytes
  if (length <= 6) return BigInt(readUint(bytes, 0, length))
  const lead = length % 6
  let value = BigInt(readUint(bytes, 0, lead))
  for (let at = lead; at < length; at += 6) value = (value << 48n) | BigInt(readUint(bytes, at, 6))
  return value
}

/**
 * Big-endian unsigned integer of at most 2^53 - 1.
 * @throws {RangeError} when it is larger
 */
export function bytesToNumber(bytes: Uint8Array): number {
  let value = 0
  for (let i = 0; i < bytes.length; i++) value = value * 256 + (bytes[i] as number)
  if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('integer above 2^53 - 1')
  return value
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const TWO_WORDS = 1n << 128n
const words = new DataView(new ArrayBuffer(16))
const wordBytes = new Uint8Array(words.buffer)

/** Big-endian without leading zeros; zero is the empty string (RLP scalar). */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value <= MAX_SAFE) {
    if (value < 0n) throw new RangeError('negative integer')
    return value === 0n ? EMPTY_BYTES : numberToBytes(Number(value))
  }
  if (value < TWO_WORDS) {
    words.setBigUint64(0, value >> 64n)
    words.setBigUint64(8, value)
    let start = 0
    while (wordBytes[start] === 0) start++
    return wordBytes.slice(start)
  }
  let hex = value.toString(16)
  if (hex.length & 1) hex = `0${hex}`
  return hexToBytes(hex)
}

/** Big-endian in exactly `length` bytes. */
export function bigIntToBytesPadded(value: bigint, length: number): Uint8Array {
  return padLeft(bigIntToBytes(value), length)
}

/** Big-endian without leading zeros; zero is the empty string (RLP scalar). */
export function numberToBytes(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an unsigned integer: ${value}`)
  let length = 0
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) length++
  const bytes = new Uint8Array(length)
  for (let i = length - 1, rest = value; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256
  return bytes
}

/** Writes an unsigned integer big-endian into `length` bytes at `offset`. */
export function writeUint(target: Uint8Array, offset: number, value: number, length: number): void {
  for (let i = offset + length - 1, rest = value; i >= offset; i--, rest = Math.floor(rest / 256))
    target[i] = rest % 256
}

/** An unsigned integer big-endian in exactly `length` bytes. */
export function uintBytes(value: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  writeUint(bytes, 0, value, length)
  return bytes
}

/** Reads an unsigned big-endian integer of up to 6 bytes. */
export function readUint(source: Uint8Array, offset: number, length: number): number {
  let value = 0
  for (let i = offset; i < offset + length; i++) value = value * 256 + (source[i] as number)
  return value
}

/** The QUANTITY encoding of JSON-RPC: minimal hex, `0x0` for zero. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}
