/**
 * Slots of an account as text: members of a JSON object by ascending key. The text itself is the lookup table; entries
 * are found and changed in place.
 * @module
 */
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'

const WORD_DIGITS = 64
/** Digits of a slot and its value, as passed to {@link StorageText.set}. */
export const SLOT_DIGITS: number = 2 * WORD_DIGITS
const FIRST_CAPACITY = 4

export class StorageText {
  readonly #prefix: string
  readonly #stride: number
  #text: Uint8Array
  #size = 0
  /** Recreated when the size changes. */
  #view: Uint8Array = EMPTY_BYTES

  /** @param prefix text before the digits */
  constructor(prefix: '' | '0x') {
    this.#prefix = prefix
    // "key":"value",
    this.#stride = SLOT_DIGITS + 2 * prefix.length + 6
    this.#text = new Uint8Array(FIRST_CAPACITY * this.#stride)
  }

  get size(): number {
    return this.#size
  }

  /** Without a trailing comma. Valid until the next change. */
  text(): Uint8Array {
    return this.#view
  }

  /** @param digits slot and value, {@link SLOT_DIGITS} in total */
  set(digits: Uint8Array): void {
    const index = this.#find(digits)
    if (!this.#isAt(index, digits)) this.#insert(index)
    const key = this.#keyAt(index)
    this.#text.set(digits.subarray(0, WORD_DIGITS), key)
    this.#text.set(digits.subarray(WORD_DIGITS, SLOT_DIGITS), key + WORD_DIGITS + 3 + this.#prefix.length)
  }

  /**
   * Looks up a slot and puts its value after the key.
   * @returns false when the slot is absent
   */
  read(digits: Uint8Array): boolean {
    const index = this.#find(digits)
    if (!this.#isAt(index, digits)) return false
    const value = this.#keyAt(index) + WORD_DIGITS + 3 + this.#prefix.length
    digits.set(this.#text.subarray(value, value + WORD_DIGITS), WORD_DIGITS)
    return true
  }

  /** Adds the entries of `older` that are absent here. */
  complete(older: StorageText): void {
    const scratch = new Uint8Array(SLOT_DIGITS)
    older.#each(scratch, () => {
      if (!this.#isAt(this.#find(scratch), scratch)) this.set(scratch)
    })
  }

  /** Adds or replaces all entries of `newer`. */
  assign(newer: StorageText): void {
    const scratch = new Uint8Array(SLOT_DIGITS)
    newer.#each(scratch, () => this.set(scratch))
  }

  #each(scratch: Uint8Array, visit: () => void): void {
    for (let i = 0; i < this.#size; i++) {
      const key = this.#keyAt(i)
      scratch.set(this.#text.subarray(key, key + WORD_DIGITS))
      this.read(scratch)
      visit()
    }
  }

  #keyAt(index: number): number {
    return index * this.#stride + 1 + this.#prefix.length
  }

  /** Index of the slot's entry, or the index at which to insert it. */
  #find(digits: Uint8Array): number {
    let low = 0
    let high = this.#size
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(middle, digits) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #isAt(index: number, digits: Uint8Array): boolean {
    return index < this.#size && this.#compare(index, digits) === 0
  }

  #compare(index: number, digits: Uint8Array): number {
    const key = this.#keyAt(index)
    for (let i = 0; i < WORD_DIGITS; i++) {
      const difference = (this.#text[key + i] as number) - (digits[i] as number)
      if (difference !== 0) return difference
    }
    return 0
  }

  #insert(index: number): void {
    const stride = this.#stride
    if ((this.#size + 1) * stride > this.#text.length) {
      const text = new Uint8Array(2 * this.#text.length)
      text.set(this.#text)
      this.#text = text
    }
    this.#text.copyWithin((index + 1) * stride, index * stride, this.#size * stride)
    this.#size++
    const blank = `"${this.#prefix}${'0'.repeat(WORD_DIGITS)}":"${this.#prefix}${'0'.repeat(WORD_DIGITS)}",`
    for (let i = 0; i < stride; i++) this.#text[index * stride + i] = blank.charCodeAt(i)
    this.#view = this.#text.subarray(0, this.#size * stride - 1)
  }
}
