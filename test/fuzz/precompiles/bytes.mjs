/** Byte conversions for calls of precompiles. */

export const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

export const toHex = (bytes) => Buffer.from(bytes).toString('hex')

export const zeros = (length) => new Uint8Array(length)

export const concat = (...parts) => Uint8Array.from(Buffer.concat(parts))

/** Big-endian; 0 for no bytes. */
export const toNumber = (bytes) => (bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`))

/** Big-endian; excess high bytes are dropped. */
export function word(value, length = 32) {
  const digits = value.toString(16).padStart(2 * length, '0')
  return fromHex(length === 0 ? '' : digits.slice(-2 * length))
}

/** `length` bytes at `offset`, padded with zeros after the end. */
export function padded(input, offset, length) {
  const bytes = zeros(length)
  bytes.set(input.subarray(Math.min(offset, input.length), Math.min(offset + length, input.length)))
  return bytes
}
