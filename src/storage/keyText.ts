/**
 * Byte keys as strings of one char a byte, so that a Map can hold them; string order is then byte order.
 * @module
 */

/** @param key at most some thousand bytes */
export function keyToText(key: Uint8Array): string {
  return String.fromCharCode.apply(null, key as unknown as number[])
}

export function textToKey(text: string): Uint8Array {
  const key = new Uint8Array(text.length)
  for (let i = 0; i < key.length; i++) key[i] = text.charCodeAt(i)
  return key
}
