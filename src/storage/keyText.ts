/**
 * Converts byte keys to strings with one character per byte, for use as Map keys; string order equals byte order.
 * @module
 */

const { fromCharCode } = String

/**
 * Converts a key to text of one character per byte. Sixteen bytes per call of `fromCharCode` take half as long as the whole
 * key at once.
 * @param key usually below 100 bytes
 */
export function keyToText(key: Uint8Array): string {
  const { length } = key
  let text = ''
  let at = 0
  for (const end = length - 15; at < end; at += 16) {
    text += fromCharCode(
      key[at] as number,
      key[at + 1] as number,
      key[at + 2] as number,
      key[at + 3] as number,
      key[at + 4] as number,
      key[at + 5] as number,
      key[at + 6] as number,
      key[at + 7] as number,
      key[at + 8] as number,
      key[at + 9] as number,
      key[at + 10] as number,
      key[at + 11] as number,
      key[at + 12] as number,
      key[at + 13] as number,
      key[at + 14] as number,
      key[at + 15] as number,
    )
  }
  let rest = ''
  for (; at < length; at++) rest += fromCharCode(key[at] as number)
  text += rest
  // V8 keeps sums of strings as trees, which take several times the memory and slow maps down, until a character is read.
  return text.charCodeAt(0) < 0 ? '' : text
}

export function textToKey(text: string): Uint8Array {
  const key = new Uint8Array(text.length)
  for (let i = 0; i < key.length; i++) key[i] = text.charCodeAt(i)
  return key
}
