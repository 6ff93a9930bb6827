/**
 * Parses JSON requests with features that `JSON.parse` lacks: bounds on nesting and on the length of numbers, lossless
 * integers beyond 2^53, and the exact text of a decimal id.
 * @module
 */

import { MAX_JSON_DEPTH, MAX_JSON_NUMBER_LENGTH } from '../base/limits/limits.ts'

export interface ParsedJson {
  /** Length of the text. */
  readonly length: number
  /**
   * The result of `JSON.parse`, except that integers of 16 or more digits that a number cannot represent are bigints.
   */
  readonly value: unknown
  /** Text of decimal ids by position in the batch (0 outside a batch); undefined when there is none. */
  readonly idTexts: ReadonlyMap<number, string> | undefined
}

const TAB = 9
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const QUOTE = 34
const PLUS = 43
const COMMA = 44
const MINUS = 45
const POINT = 46
const ZERO = 48
const NINE = 57
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const LOWER_E = 101
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** An integer with at most this number of digits is always a safe number. */
const SAFE_DIGITS = 15
/** Prefix of a string that replaces a long integer. A client's string with this prefix is read as the integer, too. */
const INTEGER_MARK = '\u0000integer:'
const INTEGER_TEXT = /^-?(?:0|[1-9]\d*)$/

/** @returns undefined when the text is not JSON or exceeds a bound */
export function parseJson(text: string): ParsedJson | undefined {
  const scan = new Scan(text)
  if (!scan.run()) return undefined
  try {
    if (scan.longIntegers.length === 0) return { length: text.length, value: JSON.parse(text), idTexts: scan.idTexts }
    const value: unknown = JSON.parse(markIntegers(text, scan.longIntegers), reviveInteger)
    return { length: text.length, value, idTexts: scan.idTexts }
  } catch {
    return undefined
  }
}

function markIntegers(text: string, spans: readonly number[]): string {
  let marked = ''
  let copied = 0
  for (let i = 0; i < spans.length; i += 2) {
    const start = spans[i] as number
    const end = spans[i + 1] as number
    marked += `${text.slice(copied, start)}"\\u0000integer:${text.slice(start, end)}"`
    copied = end
  }
  return marked + text.slice(copied)
}

function reviveInteger(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(INTEGER_MARK)) return value
  const digits = value.slice(INTEGER_MARK.length)
  if (!INTEGER_TEXT.test(digits)) return value
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}

/** Scans the text once. `JSON.parse` checks the syntax. */
class Scan {
  idTexts: Map<number, string> | undefined
  /** Start and end of every integer with more than SAFE_DIGITS digits. */
  readonly longIntegers: number[] = []
  readonly #text: string
  /** Nesting depth of the members of a request: 1, in a batch 2. */
  #memberDepth = 0
  #depth = 0
  #item = 0
  /** Whether the last token was the key `id` of a request. */
  #valueOfId = false

  constructor(text: string) {
    this.#text = text
  }

  /** @returns false when a bound is exceeded */
  run(): boolean {
    const text = this.#text
    const { length } = text
    let at = 0
    while (at < length) {
      const char = text.charCodeAt(at)
      if (char === QUOTE) {
        const end = stringEnd(text, at)
        if (end === 0) return false
        if (end - at === 4 && this.#depth === this.#memberDepth && text.startsWith('id', at + 1)) {
          this.#valueOfId = isColonNext(text, end)
        }
        at = end
        continue
      }
      if (char === MINUS || (char >= ZERO && char <= NINE)) {
        const end = numberEnd(text, at)
        if (end - at > MAX_JSON_NUMBER_LENGTH) return false
        this.#number(at, end)
        at = end
        continue
      }
      if (!this.#structure(char)) return false
      at++
    }
    return true
  }

  #structure(char: number): boolean {
    if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      if (this.#depth === 0) this.#memberDepth = char === OPEN_BRACE ? 1 : 2
      this.#depth++
      this.#valueOfId = false
      return this.#depth <= MAX_JSON_DEPTH
    }
    if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      this.#depth--
    } else if (char === COMMA) {
      this.#valueOfId = false
      if (this.#depth === 1 && this.#memberDepth === 2) this.#item++
    }
    return true
  }

  #number(start: number, end: number): void {
    const isId = this.#valueOfId && this.#depth === this.#memberDepth
    const isLong = end - start > SAFE_DIGITS
    if (!isId && !isLong) return
    const token = this.#text.slice(start, end)
    if (INTEGER_TEXT.test(token)) {
      if (isLong && !isColonNext(this.#text, end)) this.longIntegers.push(start, end)
      if (token !== '-0') return
    }
    if (!isId) return
    this.idTexts ??= new Map()
    this.idTexts.set(this.#item, token)
  }
}

/** @returns the position after the closing quote; 0 when it is missing */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote > 0) {
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++
    if ((backslashes & 1) === 0) return quote + 1
    quote = text.indexOf('"', quote + 1)
  }
  return 0
}

/** @returns the position after digits, sign, point and exponent */
function numberEnd(text: string, start: number): number {
  let at = start + 1
  for (; at < text.length; at++) {
    const char = text.charCodeAt(at)
    const isDigit = char >= ZERO && char <= NINE
    if (!isDigit && char !== POINT && char !== MINUS && char !== PLUS && (char | 32) !== LOWER_E) break
  }
  return at
}

function isColonNext(text: string, from: number): boolean {
  let at = from
  for (;;) {
    const char = text.charCodeAt(at)
    if (char !== SPACE && char !== LINE_FEED && char !== CARRIAGE_RETURN && char !== TAB) return char === COLON
    at++
  }
}
