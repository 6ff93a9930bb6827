/** Words on the stack of a frame, which are little-endian. */

const WORD_BYTES = 32

/** @param index from the bottom */
export function stackWord(stack: Uint8Array, index: number): bigint {
  const view = new DataView(stack.buffer, stack.byteOffset + WORD_BYTES * index, WORD_BYTES)
  const low = view.getBigUint64(0, true) | (view.getBigUint64(8, true) << 64n)
  const high = view.getBigUint64(16, true) | (view.getBigUint64(24, true) << 64n)
  return high === 0n ? low : (high << 128n) | low
}

/** The word as 32 bytes in hex. @param index from the bottom */
export function wordHex(stack: Uint8Array, index: number): string {
  return `0x${stackWord(stack, index)
    .toString(16)
    .padStart(2 * WORD_BYTES, '0')}`
}
