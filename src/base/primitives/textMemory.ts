/** Shorter texts are not checked for their width. */
const LONG_TEXT_LENGTH = 4096
const BEYOND_LATIN1 = /[\u0100-\uffff]/

/** Memory of a character in bytes (estimate): one character beyond Latin-1 makes all characters of a string wide. */
export function characterBytes(text: string): 1 | 2 {
  return text.length > LONG_TEXT_LENGTH && BEYOND_LATIN1.test(text) ? 2 : 1
}
