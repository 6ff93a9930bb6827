/** C0 and C1 controls, DEL, line separators and marks that change the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are replaced
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'g')

/** Whether a text can be shown in one line without an effect on the terminal. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text)
}

/** Returns the text with its control characters escaped as in JSON, so that none reaches a terminal. */
export function printable(text: string): string {
  return isPrintable(text) ? text : text.replace(ALL_UNPRINTABLE, escaped)
}

/** Characters of a value that an error message repeats. */
const MAX_DESCRIBED = 60

/** Describes an unexpected value from a client, short enough for an error message. Not for secrets. */
export function described(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object') return 'an object'
  const text = typeof value === 'string' ? value : String(value)
  const start = text.length > MAX_DESCRIBED ? `${text.slice(0, MAX_DESCRIBED)}…` : text
  return printable(typeof value === 'string' ? JSON.stringify(start) : start)
}

/** A number of bytes in words, such as `1 byte`. */
export function byteCount(length: number): string {
  return length === 1 ? '1 byte' : `${length} bytes`
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(character: string): string {
  return NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
