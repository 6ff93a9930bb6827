/**
 * Writes JSON as UTF-8 bytes, piece by piece. The caller writes commas and brackets.
 * @module
 */
import { writeDecimal, writeHex } from './asciiDigits.ts'
import type { ByteSink } from './byteSink.ts'

/** Size of the buffer, and of the chunks that go to the sink. */
export const JSON_CHUNK_BYTES = 65_536

const encoder = new TextEncoder()
/** Digits of 2^53. */
const MAX_DECIMAL_DIGITS = 16

const NO_BUFFER = new Uint8Array(0)

export class JsonWriter {
  readonly #sink: ByteSink
  /** Empty before the first piece, and after it was handed over. */
  #buffer: Uint8Array<ArrayBuffer> = NO_BUFFER
  #length = 0
  #isFlushed = false

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  /** Whether anything has reached the sink; from then on the output cannot be discarded. */
  get isFlushed(): boolean {
    return this.#isFlushed
  }

  get isFull(): boolean {
    return this.#sink.isFull
  }

  drained(): Promise<void> {
    return this.#sink.drained()
  }

  /** Text that is already JSON; ASCII only. */
  ascii(text: string): void {
    if (text.length > JSON_CHUNK_BYTES) {
      this.#bytes(encoder.encode(text))
      return
    }
    const buffer = this.reserve(text.length)
    for (let i = 0; i < text.length; i++) buffer[this.#length++] = text.charCodeAt(i)
  }

  /** Any value that JSON.stringify accepts. */
  value(value: unknown): void {
    this.#bytes(encoder.encode(JSON.stringify(value)))
  }

  /** Bytes that are already JSON. */
  raw(bytes: Uint8Array): void {
    this.#bytes(bytes)
  }

  /** Like {@link raw}, but takes ownership of the bytes: a large piece goes to the sink without a copy. */
  handOver(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length < JSON_CHUNK_BYTES / 2) {
      this.#bytes(bytes)
      return
    }
    this.flush()
    this.#isFlushed = true
    this.#sink.write(bytes)
  }

  /** Lower-case hex without prefix and quotes. */
  hex(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += JSON_CHUNK_BYTES / 2) {
      const to = Math.min(bytes.length, from + JSON_CHUNK_BYTES / 2)
      writeHex(this.reserve(2 * (to - from)), this.#length, bytes, from, to)
      this.#length += 2 * (to - from)
    }
  }

  /** A non-negative integer below 2^53, decimal. */
  integer(value: number): void {
    this.#length = writeDecimal(this.reserve(MAX_DECIMAL_DIGITS), this.#length, value)
  }

  /** Offset of the next byte in the buffer that {@link reserve} returns. */
  get position(): number {
    return this.#length
  }

  /**
   * Makes `length` bytes available after {@link position} for writing in place; follow with {@link commit}.
   * @param length at most JSON_CHUNK_BYTES
   * @returns the buffer to write into; valid until the next call
   */
  reserve(length: number): Uint8Array {
    if (this.#length + length > this.#buffer.length) this.#makeRoom()
    return this.#buffer
  }

  /** @param end offset after the last byte written */
  commit(end: number): void {
    this.#length = end
  }

  /** Passes everything to the sink. */
  flush(): void {
    if (this.#length === 0) return
    this.#isFlushed = true
    // A chunk that fills more than half of its buffer is passed on without a copy, together with the buffer.
    const isHandedOver = this.#length > this.#buffer.length / 2
    const chunk = isHandedOver ? this.#buffer.subarray(0, this.#length) : this.#buffer.slice(0, this.#length)
    if (isHandedOver) this.#buffer = NO_BUFFER
    this.#length = 0
    this.#sink.write(chunk)
  }

  #makeRoom(): void {
    this.flush()
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(JSON_CHUNK_BYTES)
  }

  #bytes(bytes: Uint8Array): void {
    if (this.#length + bytes.length < this.#buffer.length) {
      this.#buffer.set(bytes, this.#length)
      this.#length += bytes.length
      return
    }
    for (let from = 0; from < bytes.length; ) {
      if (this.#length === this.#buffer.length) this.#makeRoom()
      const length = Math.min(bytes.length - from, this.#buffer.length - this.#length)
      this.#buffer.set(bytes.subarray(from, from + length), this.#length)
      this.#length += length
      from += length
    }
  }
}
