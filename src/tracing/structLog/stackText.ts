/**
 * The stack of the running frame as text. Each step rewrites only the words that the previous opcode can have changed.
 * @module
 */

import { writeShortWord, writeWord } from '../../base/primitives/asciiDigits.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { FrameView } from '../../evm/hooks.ts'
import { SWAPPED, WORDS_LEFT } from './opcodes.ts'

const WORD_BYTES = 32
const FIRST_CAPACITY = 32
const QUOTE = 0x22
const COMMA = 0x2c

/** Quoted words separated by commas; {@link StackText.text} is valid until the next {@link StackText.follow}. */
abstract class StackText {
  #depth = -1
  #opcode = 0

  /** Must be called before every opcode. */
  follow(frame: FrameView): void {
    const { depth, stackSize } = frame
    const isSameFrame = depth === this.#depth
    const opcode = this.#opcode
    this.#depth = depth
    this.#opcode = frame.opcode
    if (!isSameFrame) this.rewrite(frame.stack, stackSize, 0)
    else if (WORDS_LEFT[opcode] !== 0) this.#rewriteChanged(frame.stack, stackSize, SWAPPED[opcode] as number)
    else this.shrink(stackSize)
  }

  #rewriteChanged(stack: Uint8Array, size: number, swapped: number): void {
    if (swapped === 0) this.rewrite(stack, size, size - 1)
    else this.rewriteSwapped(stack, size, size - 1 - swapped)
  }

  /** Without a trailing comma. */
  abstract text(): Uint8Array
  /** Writes the words from index `first` on. */
  protected abstract rewrite(stack: Uint8Array, size: number, first: number): void
  /** Writes the top word and the one at index `other`. */
  protected abstract rewriteSwapped(stack: Uint8Array, size: number, other: number): void
  protected abstract shrink(size: number): void
}

const FULL_STRIDE = 67

/** 64 digits per word, without prefix. */
export class FullStackText extends StackText {
  #text = new Uint8Array(0)
  /** Indexed by stack size. */
  #views: (Uint8Array | undefined)[] = []
  #size = 0

  /** Caches one view per size, because creating a view at every step is expensive. */
  text(): Uint8Array {
    const size = this.#size
    if (size === 0) return EMPTY_BYTES
    const cachedView = this.#views[size]
    if (cachedView !== undefined) return cachedView
    const view = this.#text.subarray(0, size * FULL_STRIDE - 1)
    this.#views[size] = view
    return view
  }

  protected rewrite(stack: Uint8Array, size: number, first: number): void {
    this.#size = size
    if (size * FULL_STRIDE > this.#text.length) this.#grow(size)
    for (let i = first; i < size; i++) writeWord(this.#text, i * FULL_STRIDE + 1, stack, i * WORD_BYTES)
  }

  protected rewriteSwapped(stack: Uint8Array, size: number, other: number): void {
    this.rewrite(stack, size, size - 1)
    writeWord(this.#text, other * FULL_STRIDE + 1, stack, other * WORD_BYTES)
  }

  protected shrink(size: number): void {
    this.#size = size
  }

  #grow(size: number): void {
    const capacity = Math.max(FIRST_CAPACITY, 2 * size)
    const from = this.#text.length
    const text = new Uint8Array(capacity * FULL_STRIDE)
    text.set(this.#text)
    for (let at = from; at < text.length; at += FULL_STRIDE) {
      text[at] = QUOTE
      text[at + FULL_STRIDE - 2] = QUOTE
      text[at + FULL_STRIDE - 1] = COMMA
    }
    this.#text = text
    this.#views = []
  }
}

const LONGEST_SHORT = 69

/** With `0x` and without leading zeros. */
export class ShortStackText extends StackText {
  #text = new Uint8Array(0)
  /** Offset of each word's text, and the offset after the last one. */
  #starts = new Uint32Array(1)
  #size = 0

  text(): Uint8Array {
    const size = this.#size
    return size === 0 ? EMPTY_BYTES : this.#text.subarray(0, (this.#starts[size] as number) - 1)
  }

  protected rewrite(stack: Uint8Array, size: number, first: number): void {
    this.#size = size
    if (size >= this.#starts.length) this.#grow(size)
    const text = this.#text
    let at = this.#starts[first] as number
    for (let i = first; i < size; i++) {
      text[at] = QUOTE
      text[at + 1] = 0x30
      text[at + 2] = 0x78
      at = writeShortWord(text, at + 3, stack, i * WORD_BYTES)
      text[at] = QUOTE
      text[at + 1] = COMMA
      at += 2
      this.#starts[i + 1] = at
    }
  }

  protected rewriteSwapped(stack: Uint8Array, size: number, other: number): void {
    this.rewrite(stack, size, other)
  }

  protected shrink(size: number): void {
    this.#size = size
  }

  #grow(size: number): void {
    const capacity = Math.max(FIRST_CAPACITY, 2 * size)
    const text = new Uint8Array(capacity * LONGEST_SHORT)
    text.set(this.#text)
    const starts = new Uint32Array(capacity + 1)
    starts.set(this.#starts)
    this.#text = text
    this.#starts = starts
  }
}
