/**
 * Reads the input of precompiles and writes their output.
 * @module
 */

/** `length` bytes at `offset`, padded with zeros after the end of the input. A view when the input is long enough. */
export function paddedSlice(input: Uint8Array, offset: number, length: number): Uint8Array {
  const end = offset + length
  if (end <= input.length) return input.subarray(offset, end)
  const padded = new Uint8Array(length)
  if (offset < input.length) padded.set(input.subarray(offset))
  return padded
}

/** Whether `length` bytes at `offset` are all zero. */
export function isZeroAt(input: Uint8Array, offset: number, length: number): boolean {
  for (let i = offset; i < offset + length; i++) if (input[i] !== 0) return false
  return true
}

/** 32 bytes, big-endian: 1 or 0. */
export function booleanWord(value: boolean): Uint8Array {
  const word = new Uint8Array(32)
  if (value) word[31] = 1
  return word
}

/** Writes an unsigned integer below 2^(8 · length) big-endian; the length is a multiple of 8. */
export function writeBigInt(target: Uint8Array, offset: number, value: bigint, length: number): void {
  const view = new DataView(target.buffer, target.byteOffset + offset, length)
  for (let at = length - 8, rest = value; at >= 0; at -= 8, rest >>= 64n)
    view.setBigUint64(at, BigInt.asUintN(64, rest))
}
