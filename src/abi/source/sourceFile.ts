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
/** In longer lines, columns are bytes. */
const MAX_COUNTED_BYTES = 65_536
const utf8 = new TextDecoder()
/** Makes one character of each byte. */
const bytewise = new TextDecoder('latin1')

export class SourceFile {
  /** As the project names it. */
  readonly path: string
  readonly #text: Uint8Array
  #lineStarts: Uint32Array | undefined
  #definitions: readonly Definition[] | undefined
  #contracts: readonly Definition[] | undefined

  constructor(path: string, text: Uint8Array) {
    this.path = path
    this.#text = text
  }

  get text(): string {
    return utf8.decode(this.#text)
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
    const units = before.length > MAX_COUNTED_BYTES ? before.length : utf8.decode(before).length
    return { line: line + 1, column: units + 1 }
  }

  /** Line of an offset, from 1. @returns undefined beyond the end */
  lineAt(offset: number): number | undefined {
    if (offset < 0 || offset > this.#text.length) return undefined
    this.#lineStarts ??= lineStartsOf(this.#text)
    return lastNotAbove(this.#lineStarts, offset) + 1
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
    this.#contracts ??= this.#all.filter(({ kind }) => kind === 'contract')
    // They do not overlap: the first one from here on is also the first one to end.
    const next = firstFrom(this.#contracts, start)
    return next !== undefined && next.end <= end
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

/** The first definition that begins at an offset or behind it. @param sorted by their starts */
function firstFrom(sorted: readonly Definition[], offset: number): Definition | undefined {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as Definition).start < offset) low = middle + 1
    else high = middle
  }
  return sorted[low]
}
