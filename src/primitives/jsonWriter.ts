/**
 * JSON text as UTF-8 bytes, written as it is made. Whoever writes cares for commas and brackets.
 * @module
 */
import type { ByteSink } from './byteSink.ts'

/** Handed to the sink when so much is there. */
export const JSON_CHUNK_BYTES = 65_536

const encoder = new TextEncoder()
/** Two hex digits for each byte, as they lie in memory. */
const HEX_PAIRS = hexPairs()

export class JsonWriter {
  readonly #sink: ByteSink
  #buffer = new Uint8Array(JSON_CHUNK_BYTES)
  #length = 0
  #isFlushed = false

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  /** Whether anything has gone to the sink: from then on nothing can be taken back. */
  get isFlushed(): boolean {
    return this.#isFlushed
  }

  get isFull(): boolean {
    return this.#sink.isFull
  }

  drained(): Promise<void> {
    return this.#sink.drained()
  }

  /** Text that is JSON already; ASCII only. */
  ascii(text: string): void {
    const at = this.#reserve(text.length)
    for (let i = 0; i < text.length; i++) this.#buffer[at + i] = text.charCodeAt(i)
  }

  /** Any value that JSON.stringify takes. */
  value(value: unknown): void {
    this.#bytes(encoder.encode(JSON.stringify(value)))
  }

  /** Bytes that are JSON already. */
  raw(bytes: Uint8Array): void {
    this.#bytes(bytes)
  }

  /** Lower-case digits without prefix and quotes. */
  hex(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += JSON_CHUNK_BYTES / 2) {
      const to = Math.min(bytes.length, from + JSON_CHUNK_BYTES / 2)
      let at = this.#reserve(2 * (to - from))
      for (let i = from; i < to; i++) {
        const pair = HEX_PAIRS[bytes[i] as number] as number
        this.#buffer[at++] = pair & 0xff
        this.#buffer[at++] = pair >> 8
      }
    }
  }

  /** A non-negative integer below 2^53, decimal. */
  integer(value: number): void {
    if (value > 0xffff_ffff) {
      this.ascii(String(value))
      return
    }
    let digits = 1
    for (let bound = 10; digits < 10 && value >= bound; bound *= 10) digits++
    let at = this.#reserve(digits) + digits
    let rest = value >>> 0
    do {
      this.#buffer[--at] = 0x30 + (rest % 10)
      rest = Math.floor(rest / 10)
    } while (rest > 0)
  }

  /** Gives everything to the sink. */
  flush(): void {
    if (this.#length === 0) return
    this.#isFlushed = true
    const chunk = this.#length === this.#buffer.length ? this.#buffer : this.#buffer.slice(0, this.#length)
    if (chunk === this.#buffer) this.#buffer = new Uint8Array(JSON_CHUNK_BYTES)
    this.#length = 0
    this.#sink.write(chunk)
  }

  /** @param length at most JSON_CHUNK_BYTES @returns where to write */
  #reserve(length: number): number {
    if (this.#length + length > this.#buffer.length) this.flush()
    const at = this.#length
    this.#length += length
    return at
  }

  #bytes(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const length = Math.min(bytes.length - from, this.#buffer.length - this.#length)
      this.#buffer.set(bytes.subarray(from, from + length), this.#length)
      this.#length += length
      from += length
      if (this.#length === this.#buffer.length) this.flush()
    }
  }
}

function hexPairs(): Uint16Array {
  const digits = '0123456789abcdef'
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    return digits.charCodeAt(byte >> 4) | (digits.charCodeAt(byte & 15) << 8)
  })
}
