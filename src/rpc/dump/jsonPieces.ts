/**
 * Reads a large JSON object piece by piece: each item of a list and each member of an object on its second level is
 * parsed alone, so that neither the text nor the time of the whole is needed at once.
 * @module
 */
import type { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import { concatBytes } from '../../base/primitives/bytes.ts'
import { invalidDump } from '../../chain/dev/invalidDump.ts'
import { isObject } from '../codecs/support.ts'

/** An item of a list (without name), a member of an object, or a plain value of the outermost object. */
export interface JsonPiece {
  readonly section: string
  readonly kind: 'item' | 'member' | 'value'
  readonly name: string
  readonly value: unknown
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENERS: Readonly<Record<number, JsonPiece['kind']>> = { 91: 'item', 123: 'member' }
const CLOSE_LIST = 0x5d
const CLOSE_OBJECT = 0x7d
const QUOTE_MARK = 1
const OPEN_MARK = 2
const END_MARK = 3
const SPACE_MARK = 4
/** By byte; 0: part of a plain value. */
const MARKS: Uint8Array = new Uint8Array(256)
MARKS[QUOTE] = QUOTE_MARK
for (const byte of [0x5b, 0x7b]) MARKS[byte] = OPEN_MARK
for (const byte of [COMMA, CLOSE_LIST, CLOSE_OBJECT]) MARKS[byte] = END_MARK
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) MARKS[byte] = SPACE_MARK
/** Depth of pieces. */
const PIECES = 2

const decoder = new TextDecoder('utf-8', { fatal: true })

/** @throws {NodeError} INVALID_DUMP when the text is not one complete JSON object */
export async function* jsonPieces(
  source: AsyncIterable<Uint8Array>,
  slicer: TimeSlicer | undefined,
): AsyncGenerator<JsonPiece, void, undefined> {
  const reader = new PieceReader()
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      at = reader.read(chunk, at)
      if (reader.piece !== undefined) yield reader.piece
      if (slicer?.isDue) await slicer.yield()
    }
    reader.keepRest(chunk)
  }
  reader.end()
}

class PieceReader {
  /** Completed by the last call of {@link read}. */
  piece: JsonPiece | undefined
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isEnded = false
  /** Text of the current piece in earlier chunks. */
  #parts: Uint8Array[] = []
  /** Where the current piece begins in this chunk. */
  #from = 0
  #section = ''
  #kind: JsonPiece['kind'] = 'value'
  #followsComma = false
  /** The object or list of the last member has been read. */
  #followsContainer = false

  /** Reads up to the end of a piece or of the chunk. @returns where to continue */
  read(chunk: Uint8Array, start: number): number {
    this.piece = undefined
    for (let at = start; at < chunk.length; at++) {
      if (this.#isInString) at = this.#endOfString(chunk, at)
      else {
        const byte = chunk[at] as number
        const mark = MARKS[byte]
        if (mark === QUOTE_MARK && this.#depth > 0) this.#isInString = true
        else if (mark === OPEN_MARK) this.#open(chunk, at, byte)
        else if (mark === END_MARK) {
          this.#delimit(chunk, at, byte)
          if (this.piece !== undefined) return at + 1
        } else if (this.#depth === 0 && mark !== SPACE_MARK) throw notJson()
      }
    }
    return chunk.length
  }

  keepRest(chunk: Uint8Array): void {
    if (this.#from < chunk.length) this.#parts.push(chunk.slice(this.#from))
    this.#from = 0
  }

  end(): void {
    if (!this.#isEnded) throw notJson()
  }

  /** @returns the position of the last byte that was read */
  #endOfString(chunk: Uint8Array, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at]
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) {
        this.#isInString = false
        return at
      }
    }
    return chunk.length
  }

  #open(chunk: Uint8Array, at: number, byte: number): void {
    const kind = OPENERS[byte] as JsonPiece['kind']
    if (this.#depth === 0) {
      if (this.#isEnded || kind !== 'member') throw notJson()
      this.#from = at + 1
    } else if (this.#depth === PIECES - 1) {
      const [name] = memberOf(`${this.#text(chunk, at)}null`)
      if (this.#followsContainer) throw notJson()
      this.#section = name
      this.#kind = kind
      this.#followsComma = false
    }
    this.#depth++
  }

  #delimit(chunk: Uint8Array, at: number, byte: number): void {
    if (this.#depth <= PIECES) this.#complete(chunk, at, byte)
    if (byte === COMMA) return
    this.#depth--
    if (this.#depth === PIECES - 1) {
      this.#followsContainer = true
      this.#from = at + 1
    }
    this.#isEnded = this.#depth === 0
  }

  #complete(chunk: Uint8Array, at: number, byte: number): void {
    if (this.#depth === 0) throw notJson()
    const isOuter = this.#depth < PIECES
    const isClosing = byte !== COMMA
    if (isClosing && (byte === CLOSE_LIST) !== (!isOuter && this.#kind === 'item')) throw notJson()
    const text = this.#text(chunk, at)
    const isEmpty = text.trim() === ''
    const isAllowed = isOuter && this.#followsContainer ? isEmpty : !isEmpty || (isClosing && !this.#followsComma)
    if (!isAllowed) throw notJson()
    if (!isEmpty) this.piece = isOuter ? this.#outer(text) : this.#inner(text)
    this.#followsComma = !isClosing
    this.#followsContainer = false
  }

  #outer(text: string): JsonPiece {
    const [section, value] = memberOf(text)
    return { section, kind: 'value', name: section, value }
  }

  #inner(text: string): JsonPiece {
    const section = this.#section
    if (this.#kind === 'item') return { section, kind: 'item', name: '', value: parsed(text) }
    const [name, value] = memberOf(text)
    return { section, kind: 'member', name, value }
  }

  /** Text of the current piece; the next one begins behind `end`. */
  #text(chunk: Uint8Array, end: number): string {
    const bytes = concatBytes(...this.#parts, chunk.subarray(this.#from, end))
    this.#parts = []
    this.#from = end + 1
    try {
      return decoder.decode(bytes)
    } catch {
      throw invalidDump('it is not UTF-8')
    }
  }
}

function memberOf(text: string): readonly [name: string, value: unknown] {
  const json = parsed(`{${text}}`)
  const entries = isObject(json) ? Object.entries(json) : []
  const [entry] = entries
  if (entry === undefined || entries.length > 1) throw notJson()
  return entry
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson()
  }
}

function notJson(): Error {
  return invalidDump('it is not complete JSON')
}
