/**
 * Makes text from contracts, clients and files safe to print.
 * @module
 */

/**
 * Characters that terminals act on, or that hide or reorder others: controls, line separators, marks without a shape of
 * their own such as direction overrides, and lone surrogates. A zero-width joiner is harmless and part of many emoji.
 */
const UNSAFE = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
/** Matches most texts, and is faster to test. */
const SAFE = /^[ -~]*$/
/** Names of methods in the log. */
export const MAX_METHOD_LENGTH = 80
const SHORT_CODE = 0xff

/** Replaces unsafe characters by escapes such as `\x1b` and `\u{202e}`, and cuts the text. */
export function plainText(text: string, maxLength: number): string {
  if (text.length <= maxLength && SAFE.test(text)) return text
  const isCut = text.length > maxLength
  const safe = (isCut ? text.slice(0, maxLength) : text).replace(UNSAFE, escaped)
  return isCut ? `${safe}… (${text.length} characters)` : safe
}

/** Like `plainText`, for each line of a text. */
export function plainLines(text: string, maxLength: number, maxLines: number): string[] {
  const isCut = text.length > maxLength
  const lines = (isCut ? text.slice(0, maxLength) : text).split(/\r?\n/)
  const shownText = lines.slice(0, maxLines).map((line) => line.replaceAll('\t', '  ').replace(UNSAFE, escaped))
  if (isCut || lines.length > maxLines) shownText.push(`… (${text.length} characters)`)
  return shownText
}

function escaped(character: string): string {
  const code = character.codePointAt(0) as number
  const digits = code.toString(16)
  return code <= SHORT_CODE ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`
}
