/** As keyText.ts, in a few bytes of code. */
export function keyToText(key: Uint8Array): string {
  return String.fromCharCode.apply(null, key as unknown as number[])
}

export function textToKey(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
