/**
 * Base64 with the URL-safe alphabet, and base32, both without padding.
 * @see RFC 4648, sections 5 and 6
 * @module
 */

const BASE64: readonly string[] = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
const BASE32: readonly string[] = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567']
const BASE64_DIGITS: ReadonlyMap<string, number> = new Map(BASE64.map((digit, value) => [digit, value]))
const BASE32_DIGITS: ReadonlyMap<string, number> = new Map(BASE32.map((digit, value) => [digit, value]))

function encode(bytes: Uint8Array, alphabet: readonly string[], bitsPerDigit: number): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    bits += 8
    while (bits >= bitsPerDigit) {
      bits -= bitsPerDigit
      text += alphabet[(buffer >> bits) & (alphabet.length - 1)]
    }
  }
  if (bits > 0) text += alphabet[(buffer << (bitsPerDigit - bits)) & (alphabet.length - 1)]
  return text
}

/** Unused bits at the end may have any value, as common decoders allow. */
function decode(text: string, digits: ReadonlyMap<string, number>, bitsPerDigit: number): Uint8Array | undefined {
  if ((text.length * bitsPerDigit) % 8 >= bitsPerDigit) return undefined
  const bytes = new Uint8Array((text.length * bitsPerDigit) >> 3)
  let buffer = 0
  let bits = 0
  let at = 0
  for (const character of text) {
    const value = digits.get(character)
    if (value === undefined) return undefined
    buffer = ((buffer << bitsPerDigit) | value) & 0xffff
    bits += bitsPerDigit
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (buffer >> bits) & 0xff
  }
  return bytes
}

export function toBase64Url(bytes: Uint8Array): string {
  return encode(bytes, BASE64, 6)
}

/** @returns undefined for other characters, padding, or an impossible length */
export function fromBase64Url(text: string): Uint8Array | undefined {
  return decode(text, BASE64_DIGITS, 6)
}

/** Upper case. */
export function toBase32(bytes: Uint8Array): string {
  return encode(bytes, BASE32, 5)
}

/** @returns undefined for other characters, lower case, padding, or an impossible length */
export function fromBase32(text: string): Uint8Array | undefined {
  return decode(text, BASE32_DIGITS, 5)
}
