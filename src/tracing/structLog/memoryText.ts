/**
 * The memory of the running frame as text. Each step rewrites only the words that the previous opcode has written or
 * added.
 * @module
 */

import { writeHex } from '../../base/primitives/asciiDigits.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { FrameView } from '../../evm/hooks.ts'

const WORD_BYTES = 32
const WORD_DIGITS = 64
const FIRST_CAPACITY = 64
const NOWHERE = 0

/** The text around the 64 digits of each word. */
export interface MemoryForm {
  readonly before: string
  /** Separates words; its end is dropped after the last word. */
  readonly after: string
  /** Number of characters of `after` that are dropped after the last word. */
  readonly separator: number
}

export class MemoryText {
  readonly #before: Uint8Array
  readonly #after: Uint8Array
  readonly #separator: number
  readonly #stride: number
  #text = new Uint8Array(0)
  #words = 0
  /** Range of bytes that the last opcode may have written. */
  #from = NOWHERE
  #to = NOWHERE

  constructor({ before, after, separator }: MemoryForm) {
    this.#before = new TextEncoder().encode(before)
    this.#after = new TextEncoder().encode(after)
    this.#separator = separator
    this.#stride = before.length + WORD_DIGITS + after.length
  }

  /** Discards everything, because another frame runs or a call has ended. */
  forget(): void {
    this.#words = 0
    this.#to = NOWHERE
  }

  /** Notes the range that the next opcode is going to write. */
  expect(frame: FrameView): void {
    switch (frame.opcode) {
      case 0x52: // MSTORE
        this.#expect(operand(frame, 0), WORD_BYTES)
        break
      case 0x53: // MSTORE8
        this.#expect(operand(frame, 0), 1)
        break
      case 0x37: // CALLDATACOPY
      case 0x39: // CODECOPY
      case 0x3e: // RETURNDATACOPY
      case 0x5e: // MCOPY
        this.#expect(operand(frame, 0), operand(frame, 2))
        break
      case 0x3c: // EXTCODECOPY
        this.#expect(operand(frame, 1), operand(frame, 3))
    }
  }

  /**
   * Updates the text with the writes of the previous opcode.
   * @param memory length is a multiple of 32
   */
  follow(memory: Uint8Array): void {
    const words = memory.length / WORD_BYTES
    const wordCount = this.#words
    if (words > wordCount) {
      this.#grow(words)
      this.#words = words
      this.#write(memory, wordCount, words)
    }
    if (this.#to > this.#from) {
      const last = Math.min(Math.ceil(this.#to / WORD_BYTES), wordCount)
      this.#write(memory, Math.floor(this.#from / WORD_BYTES), last)
      this.#to = NOWHERE
    }
  }

  /** The text as of the last {@link follow}. */
  text(): Uint8Array {
    return this.#words === 0 ? EMPTY_BYTES : this.#text.subarray(0, this.#words * this.#stride - this.#separator)
  }

  #expect(offset: number, size: number): void {
    this.#from = offset
    this.#to = size === 0 ? NOWHERE : offset + size
  }

  #write(memory: Uint8Array, from: number, to: number): void {
    for (let word = from; word < to; word++) {
      const at = word * this.#stride + this.#before.length
      writeHex(this.#text, at, memory, word * WORD_BYTES, (word + 1) * WORD_BYTES)
    }
  }

  #grow(words: number): void {
    const textWords = this.#text.length / this.#stride
    if (words <= textWords) return
    const capacity = Math.max(FIRST_CAPACITY, words + (words >> 1))
    const text = new Uint8Array(capacity * this.#stride)
    text.set(this.#text)
    for (let word = textWords; word < capacity; word++) {
      const at = word * this.#stride
      text.set(this.#before, at)
      text.set(this.#after, at + this.#before.length + WORD_DIGITS)
    }
    this.#text = text
  }
}

/** A stack word as a number; 0 when absent. Values above 2^48 give Infinity, with which no opcode succeeds. */
function operand({ stack, stackSize }: FrameView, fromTop: number): number {
  const at = (stackSize - 1 - fromTop) * WORD_BYTES
  if (at < 0) return 0
  for (let i = at + 6; i < at + WORD_BYTES; i++) if (stack[i] !== 0) return Number.POSITIVE_INFINITY
  let value = 0
  for (let i = at + 5; i >= at; i--) value = 256 * value + (stack[i] as number)
  return value
}
