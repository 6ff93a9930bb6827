/**
 * Pieces of text that are the same in many entries, encoded once.
 * @module
 */

const encoder = new TextEncoder()

export function piece(text: string): Uint8Array {
  return encoder.encode(text)
}

/** For short pieces, which are copied faster byte by byte. @returns behind the last byte */
export function put(target: Uint8Array, at: number, bytes: Uint8Array): number {
  const { length } = bytes
  for (let i = 0; i < length; i++) target[at + i] = bytes[i] as number
  return at + length
}
