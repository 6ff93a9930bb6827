/**
 * Writes RLP from its end to its beginning: the length of a list is known when its prefix is due, so an encoding needs
 * neither a measuring pass nor an object for each field.
 * @module
 */

const INITIAL_BYTES = 4096
/** A longer buffer is given up after its encoding. */
const KEPT_BYTES = 262_144
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)

export class ReverseRlp {
  #bytes = new Uint8Array(INITIAL_BYTES)
  #view = new DataView(this.#bytes.buffer)
  #at = INITIAL_BYTES

  /** Begins the next encoding; views of the previous one become invalid. */
  begin(): this {
    if (this.#bytes.length > KEPT_BYTES) this.#use(new Uint8Array(INITIAL_BYTES))
    this.#at = this.#bytes.length
    return this
  }

  /** Number of bytes written so far; the end of a list that begins with the next item. */
  get length(): number {
    return this.#bytes.length - this.#at
  }

  /** Copies bytes that are encoded already. */
  raw(encoded: Uint8Array): void {
    const { length } = encoded
    this.#reserve(length)
    this.#at -= length
    this.#bytes.set(encoded, this.#at)
  }

  /** One byte as it is, such as the type of a transaction. */
  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[--this.#at] = value
  }

  /** A byte string. */
  string(value: Uint8Array): void {
    this.raw(value)
    if (value.length !== 1 || (value[0] as number) >= 0x80) this.#prefix(0x80, value.length)
  }

  /** A list of byte strings. */
  strings(values: readonly Uint8Array[]): void {
    const end = this.length
    for (let i = values.length - 1; i >= 0; i--) this.string(values[i] as Uint8Array)
    this.list(end)
  }

  /**
   * An unsigned integer; zero is the empty string.
   * @throws {RangeError} when it is negative
   */
  scalar(value: bigint): void {
    if (value <= MAX_SAFE) {
      if (value < 0n) throw new RangeError('negative integer')
      this.number(Number(value))
      return
    }
    const end = this.length
    for (let rest = value; rest > 0n; rest >>= 64n) {
      this.#reserve(8)
      this.#at -= 8
      this.#view.setBigUint64(this.#at, rest)
    }
    while (this.#bytes[this.#at] === 0) this.#at++
    this.#prefix(0x80, this.length - end)
  }

  /** An unsigned safe integer; zero is the empty string. */
  number(value: number): void {
    if (value < 0x80) {
      this.byte(value === 0 ? 0x80 : value)
      return
    }
    this.#reserve(8)
    const end = this.length
    for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) this.#bytes[--this.#at] = rest % 256
    this.#prefix(0x80, this.length - end)
  }

  /** The prefix of the list whose items have been written. @param end the length before its last item */
  list(end: number): void {
    this.#prefix(0xc0, this.length - end)
  }

  /** The encoding; valid until the next one begins. */
  view(): Uint8Array {
    return this.#bytes.subarray(this.#at)
  }

  /** A copy of the encoding. */
  copy(): Uint8Array {
    return this.#bytes.slice(this.#at)
  }

  #prefix(base: number, length: number): void {
    this.#reserve(8)
    if (length < 56) {
      this.#bytes[--this.#at] = base + length
      return
    }
    const end = this.#at
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) this.#bytes[--this.#at] = rest % 256
    const size = end - this.#at
    this.#bytes[--this.#at] = base + 55 + size
  }

  #reserve(length: number): void {
    if (this.#at >= length) return
    const written = this.view()
    const bytes = new Uint8Array(Math.max(2 * this.#bytes.length, written.length + length))
    bytes.set(written, bytes.length - written.length)
    this.#use(bytes)
    this.#at = bytes.length - written.length
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }
}

/** Shared by all encoders: none of them runs within another. */
export const reverseRlp: ReverseRlp = new ReverseRlp()
