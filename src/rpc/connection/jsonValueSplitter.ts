/**
 * Splits a stream of bytes into JSON values that follow each other, with or without white space between them. Each byte is
 * looked at once. Only where a value ends is decided here: the reader of a value checks its syntax.
 * @module
 */
import { JsonStringState } from '../../base/primitives/jsonStrings.ts'

/**
 * `garbage`: something else than an object or an array began, or a bracket closed nothing. `too long`: a value exceeds the
 * limit. The stream cannot be split after either.
 */
export type SplitFailure = 'garbage' | 'too long'

const TAB = 9
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const QUOTE = 34
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

const EMPTY = new Uint8Array(0)
const MIN_BUFFER_BYTES = 1024

export class JsonValueSplitter {
  readonly #maxBytes: number
  /** Room for the beginning of a value whose end has not arrived; doubles when it is full. */
  #buffer = EMPTY
  #heldBytes = 0
  /** Open brackets and braces of the value; 0: between values. */
  #depth = 0
  readonly #string = new JsonStringState()
  #failure: SplitFailure | undefined

  /** @param maxBytes of one value */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Bytes of a value whose end has not arrived. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /**
   * @param onValue called with each value that is complete, in order
   * @returns undefined while the stream can be split
   */
  push(bytes: Uint8Array, onValue: (value: Uint8Array) => void): SplitFailure | undefined {
    let at = 0
    while (this.#failure === undefined && at < bytes.length) {
      const start = this.#depth === 0 ? skipSpace(bytes, at) : at
      if (start === bytes.length) break
      if (this.#depth === 0 && !isOpening(bytes[start] as number)) return this.#fail('garbage')
      at = this.#scan(bytes, start)
      const part = bytes.subarray(start, at)
      if (this.#heldBytes + part.length > this.#maxBytes) return this.#fail('too long')
      if (this.#depth > 0) this.#hold(part)
      else onValue(this.#take(part))
    }
    return this.#failure
  }

  /** @returns the position after the value, or the end of the bytes */
  #scan(bytes: Uint8Array, start: number): number {
    let at = start
    while (at < bytes.length) {
      if (this.#string.isInside) {
        at = this.#string.skip(bytes, at)
        continue
      }
      const byte = bytes[at++] as number
      if (byte === QUOTE) this.#string.begin()
      else if (isOpening(byte)) this.#depth++
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --this.#depth === 0) return at
    }
    return at
  }

  /** Copies the bytes, which belong to a buffer that the caller may use again. */
  #hold(part: Uint8Array): void {
    const needed = this.#heldBytes + part.length
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(Math.max(2 * needed, MIN_BUFFER_BYTES), this.#maxBytes))
      larger.set(this.#buffer.subarray(0, this.#heldBytes))
      this.#buffer = larger
    }
    this.#buffer.set(part, this.#heldBytes)
    this.#heldBytes = needed
  }

  #take(last: Uint8Array): Uint8Array {
    if (this.#heldBytes === 0) return last.slice()
    const value = new Uint8Array(this.#heldBytes + last.length)
    value.set(this.#buffer.subarray(0, this.#heldBytes))
    value.set(last, this.#heldBytes)
    this.#release()
    return value
  }

  #release(): void {
    this.#buffer = EMPTY
    this.#heldBytes = 0
  }

  #fail(failure: SplitFailure): SplitFailure {
    this.#failure = failure
    this.#release()
    return failure
  }
}

function isOpening(byte: number): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && isSpace(bytes[at] as number)) at++
  return at
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB
}
