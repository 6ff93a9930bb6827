/**
 * Finds values in a JSON text that is too long to be parsed as a whole. It is read once, in pieces, in constant memory.
 * @module
 */
import { JsonStringState } from '../../base/primitives/jsonStrings.ts'

/** Where a value is, in bytes of the text; `end` is exclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The treatment of a value:
 * - `enter`: the members of an object are offered; another value is skipped
 * - `text`: it is given as text
 * - `range`: its place is given
 */
export type Wanted = 'enter' | 'text' | 'range' | 'skip'

export interface JsonVisitor {
  /** @param path keys from the root to the value; the array is reused */
  wants(path: readonly string[]): Wanted
  /** @param text JSON of a value that was wanted as text; undefined: it is longer than the limit */
  text(path: readonly string[], text: string | undefined, range: ByteRange): void
  range(path: readonly string[], range: ByteRange): void
  /** Called at the end of an object whose members were offered. */
  left(path: readonly string[]): void
}

type State = 'value' | 'key or end' | 'key' | 'colon' | 'next' | 'skip' | 'done'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const SPACE = 0x20
const MAX_KEY_BYTES = 4_096
const utf8 = new TextDecoder()

export class JsonScanner {
  readonly #visitor: JsonVisitor
  readonly #maxTextBytes: number
  /** Keys of the objects that were entered, and of the present value. */
  readonly #path: string[] = []
  #state: State = 'value'
  /** Bytes before the present piece. */
  #offset = 0
  #depth = 0
  #wanted: Wanted = 'skip'
  /** First character of the present value. */
  #opening = ''
  #start = 0
  /** Brackets that are open within a value that is skipped. */
  #brackets = 0
  readonly #string = new JsonStringState()
  /** Whether the skipped value is a number or a word, which only its successor ends. */
  #isScalar = false
  /** Pieces of a text or a key; undefined: they are not collected, or too long. */
  #pieces: Uint8Array[] | undefined
  #pieceBytes = 0

  constructor(visitor: JsonVisitor, maxTextBytes: number) {
    this.#visitor = visitor
    this.#maxTextBytes = maxTextBytes
  }

  /**
   * @param bytes next piece of the text
   * @throws {SyntaxError} when it cannot be JSON
   */
  push(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#state === 'skip' || this.#state === 'key') at = this.#skip(bytes, at)
      else {
        const byte = bytes[at] as number
        if (byte > SPACE) at = this.#structure(byte, at)
        else at++
      }
    }
    this.#offset += bytes.length
  }

  /** @throws {SyntaxError} when the text is not complete */
  end(): void {
    if (this.#state === 'skip' && this.#isScalar) this.#finish(this.#offset)
    if (this.#state !== 'done') throw new SyntaxError('the text ends too early')
  }

  /** @returns position of the next byte */
  #structure(byte: number, at: number): number {
    switch (this.#state) {
      case 'value':
        return this.#beginValue(byte, at)
      case 'key or end':
        if (byte === CLOSE_OBJECT) return this.#leave(at)
        if (byte !== QUOTE) throw new SyntaxError('a name was expected')
        this.#begin('key', at)
        this.#string.begin()
        return at + 1
      case 'colon':
        if (byte !== COLON) throw new SyntaxError('a colon was expected')
        this.#state = 'value'
        return at + 1
      case 'next':
        if (byte === CLOSE_OBJECT) return this.#leave(at)
        if (byte !== COMMA) throw new SyntaxError('a comma was expected')
        this.#state = 'key or end'
        return at + 1
      default:
        throw new SyntaxError('the text goes on after its end')
    }
  }

  #beginValue(byte: number, at: number): number {
    const wanted = this.#visitor.wants(this.#path)
    if (wanted === 'enter' && byte === OPEN_OBJECT) {
      this.#depth++
      this.#state = 'key or end'
      return at + 1
    }
    this.#wanted = wanted === 'enter' ? 'skip' : wanted
    this.#begin('skip', at)
    this.#opening = String.fromCharCode(byte)
    this.#isScalar = byte !== OPEN_OBJECT && byte !== OPEN_ARRAY && byte !== QUOTE
    if (byte === QUOTE) this.#string.begin()
    this.#brackets = byte === OPEN_OBJECT || byte === OPEN_ARRAY ? 1 : 0
    return at + 1
  }

  #begin(state: 'skip' | 'key', at: number): void {
    this.#state = state
    this.#start = this.#offset + at
    this.#pieceBytes = 0
    this.#pieces = state === 'key' || this.#wanted === 'text' ? [] : undefined
  }

  /** The end of an object. */
  #leave(at: number): number {
    this.#visitor.left(this.#path)
    this.#depth--
    this.#valueEnded()
    return at + 1
  }

  #valueEnded(): void {
    this.#path.length = Math.max(0, this.#depth - 1)
    this.#state = this.#depth === 0 ? 'done' : 'next'
  }

  /** Goes to the end of a value or key, or of the piece. */
  #skip(bytes: Uint8Array, from: number): number {
    let at = from
    while (at < bytes.length) {
      if (this.#string.isInside) {
        at = this.#string.skip(bytes, at)
        if (this.#string.isInside) break
        if (this.#brackets === 0) return this.#complete(bytes, from, at)
        continue
      }
      const byte = bytes[at] as number
      if (this.#isScalar) {
        if (byte === COMMA || byte === CLOSE_OBJECT || byte <= SPACE) return this.#complete(bytes, from, at)
      } else if (byte === QUOTE) this.#string.begin()
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#brackets++
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --this.#brackets === 0) {
        return this.#complete(bytes, from, at + 1)
      }
      at++
    }
    this.#collect(bytes, from, at)
    return at
  }

  #collect(bytes: Uint8Array, from: number, to: number): void {
    if (this.#pieces === undefined) return
    const limit = this.#state === 'key' ? MAX_KEY_BYTES : this.#maxTextBytes
    this.#pieceBytes += to - from
    if (this.#pieceBytes > limit) this.#pieces = undefined
    else this.#pieces.push(bytes.slice(from, to))
  }

  #complete(bytes: Uint8Array, from: number, at: number): number {
    this.#collect(bytes, from, at)
    this.#finish(this.#offset + at)
    return at
  }

  /** @param end position after a value or key */
  #finish(end: number): void {
    if (this.#state === 'key') {
      const key = this.#text()
      // A name that is too long is not one that is looked for.
      this.#path.push(key === undefined ? '' : String(JSON.parse(`"${key}`)))
      this.#state = 'colon'
      return
    }
    const range = { start: this.#start, end }
    if (this.#wanted === 'text') {
      const text = this.#text()
      this.#visitor.text(this.#path, text === undefined ? undefined : this.#opening + text, range)
    } else if (this.#wanted === 'range') this.#visitor.range(this.#path, range)
    this.#valueEnded()
  }

  #text(): string | undefined {
    const pieces = this.#pieces
    this.#pieces = undefined
    if (pieces === undefined) return undefined
    if (pieces.length === 1) return utf8.decode(pieces[0])
    const all = new Uint8Array(this.#pieceBytes)
    let at = 0
    for (const piece of pieces) {
      all.set(piece, at)
      at += piece.length
    }
    return utf8.decode(all)
  }
}
