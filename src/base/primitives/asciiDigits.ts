/**
 * Writes numbers and bytes as ASCII digits into byte buffers, which the caller has made large enough. Nothing here
 * allocates, since such text is produced by the million.
 * @module
 */

const ZERO = 0x30
/** Two digits for each byte. */
const HEX_PAIRS: Uint8Array = new Uint8Array(512)
/** Two digits for each number below 100. */
const DECIMAL_PAIRS = new Uint8Array(200)
const DIGITS = new TextEncoder().encode('0123456789abcdef')
for (let i = 0; i < 256; i++) {
  HEX_PAIRS[2 * i] = DIGITS[i >> 4] as number
  HEX_PAIRS[2 * i + 1] = DIGITS[i & 15] as number
}
for (let i = 0; i < 100; i++) {
  DECIMAL_PAIRS[2 * i] = ZERO + Math.floor(i / 10)
  DECIMAL_PAIRS[2 * i + 1] = ZERO + (i % 10)
}

const BILLION = 1_000_000_000

/**
 * @param value integer from 0 to 2^53 - 1, up to 16 digits
 * @returns offset after the last digit
 */
export function writeDecimal(target: Uint8Array, at: number, value: number): number {
  if (value < 10) {
    target[at] = ZERO + value
    return at + 1
  }
  if (value < BILLION) return writeSmall(target, at, value)
  const high = Math.floor(value / BILLION)
  const start = writeSmall(target, at, high)
  const end = start + 9
  target.fill(ZERO, start, end)
  writeBackwards(target, end, value - high * BILLION)
  return end
}

function writeSmall(target: Uint8Array, at: number, value: number): number {
  let end = at + 1
  for (let bound = 10; value >= bound; bound *= 10) end++
  writeBackwards(target, end, value)
  return end
}

/** @param value below a billion */
function writeBackwards(target: Uint8Array, end: number, value: number): void {
  let at = end
  let rest = value | 0
  while (rest >= 100) {
    const quotient = (rest / 100) | 0
    const pair = 2 * (rest - 100 * quotient)
    target[--at] = DECIMAL_PAIRS[pair + 1] as number
    target[--at] = DECIMAL_PAIRS[pair] as number
    rest = quotient
  }
  target[--at] = DECIMAL_PAIRS[2 * rest + 1] as number
  if (rest >= 10) target[--at] = DECIMAL_PAIRS[2 * rest] as number
}

/**
 * Hex without leading zeros and prefix.
 * @param value integer from 0 to 2^53 - 1
 * @returns offset after the last digit
 */
export function writeHexNumber(target: Uint8Array, at: number, value: number): number {
  let end = at + 1
  for (let bound = 16; value >= bound; bound *= 16) end++
  let rest = value
  for (let i = end - 1; i >= at; i--) {
    target[i] = DIGITS[rest % 16] as number
    rest = Math.floor(rest / 16)
  }
  return end
}

/**
 * Two digits for each byte.
 * @returns offset after the last digit
 */
export function writeHex(target: Uint8Array, at: number, bytes: Uint8Array, from: number, to: number): number {
  let end = at
  for (let i = from; i < to; i++) {
    const pair = 2 * (bytes[i] as number)
    target[end++] = HEX_PAIRS[pair] as number
    target[end++] = HEX_PAIRS[pair + 1] as number
  }
  return end
}

/**
 * A little-endian 32-byte word as 64 hex digits.
 * @returns offset after the last digit
 */
export function writeWord(target: Uint8Array, at: number, words: Uint8Array, from: number): number {
  let end = at
  let i = from + 31
  for (; i >= from && words[i] === 0; i--) {
    target[end++] = ZERO
    target[end++] = ZERO
  }
  for (; i >= from; i--) {
    const pair = 2 * (words[i] as number)
    target[end++] = HEX_PAIRS[pair] as number
    target[end++] = HEX_PAIRS[pair + 1] as number
  }
  return end
}

/**
 * A little-endian 32-byte word as hex without leading zeros; `0` for zero.
 * @returns offset after the last digit
 */
export function writeShortWord(target: Uint8Array, at: number, words: Uint8Array, from: number): number {
  let i = from + 31
  while (i > from && words[i] === 0) i--
  const first = words[i] as number
  let end = at
  if (first >= 16) target[end++] = DIGITS[first >> 4] as number
  target[end++] = DIGITS[first & 15] as number
  for (i--; i >= from; i--) {
    const pair = 2 * (words[i] as number)
    target[end++] = HEX_PAIRS[pair] as number
    target[end++] = HEX_PAIRS[pair + 1] as number
  }
  return end
}
