/**
 * A source with its lines and definitions. Offsets are bytes of UTF-8, as in source maps.
 * @module
 */
import { type Definition, definitionsOf } from './definitions.ts'

export interface Position {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units as editors count. */
  readonly column: number
}

const LINE_FEED = 0x0a
const utf8 = new TextDecoder()
/** Makes one character of each byte. */
const bytewise = new TextDecoder('latin1')

export class SourceFile {
  /** As the project names it. */
  readonly path: string
  readonly #text: Uint8Array
  #lineStarts: Uint32Array | undefined
  #definitions: readonly Definition[] | undefined

  constructor(path: string, text: Uint8Array) {
    this.path = path
    this.#text = text
  }

  /** Memory, estimate. */
  get bytes(): number {
    return this.#text.length
  }

  /** @returns undefined beyond the end */
  positionAt(offset: number): Position | undefined {
    if (offset < 0 || offset > this.#text.length) return undefined
    this.#lineStarts ??= lineStartsOf(this.#text)
    const line = lastNotAbove(this.#lineStarts, offset)
    const before = this.#text.subarray(this.#lineStarts[line] as number, offset)
    return { line: line + 1, column: utf8.decode(before).length + 1 }
  }

  /** The innermost contract or function around a range. */
  definitionAround(start: number, end: number): Definition | undefined {
    return this.#all.findLast((each) => each.start <= start && end <= each.end)
  }

  /** @param contract undefined for contracts and functions of the file */
  definitionsOf(name: string, contract: string | undefined): Definition[] {
    return this.#all.filter((each) => each.name === name && each.contract === contract)
  }

  /** Whether a range is a whole contract or more: code that belongs to no line. */
  isWholeContract(start: number, end: number): boolean {
    return this.#all.some((each) => each.kind === 'contract' && start <= each.start && each.end <= end)
  }

  get #all(): readonly Definition[] {
    // Words and marks are ASCII; with one character for each byte, their positions are bytes.
    this.#definitions ??= definitionsOf(bytewise.decode(this.#text))
    return this.#definitions
  }
}

function lineStartsOf(text: Uint8Array): Uint32Array {
  const starts = [0]
  for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1)) starts.push(at + 1)
  return Uint32Array.from(starts)
}

/** Index of the last number that is not above a value. */
function lastNotAbove(sorted: Uint32Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) <= value) low = middle
    else high = middle
  }
  return low
}
