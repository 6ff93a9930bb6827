import { describe, expect, it } from 'vitest'
import { writeHexNumber, writeShortWord, writeWord } from '../../../../src/base/primitives/asciiDigits.ts'
import type { ByteSink } from '../../../../src/base/primitives/byteSink.ts'
import { JSON_CHUNK_BYTES, JsonWriter } from '../../../../src/base/primitives/jsonWriter.ts'

class CollectingSink implements ByteSink {
  readonly chunks: Uint8Array[] = []
  readonly isFull = false

  write(chunk: Uint8Array<ArrayBuffer>): void {
    this.chunks.push(chunk)
  }

  drained(): Promise<void> {
    return Promise.resolve()
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString()
  }
}

function written(write: (out: JsonWriter) => void): string {
  const sink = new CollectingSink()
  const out = new JsonWriter(sink)
  write(out)
  out.flush()
  return sink.text
}

const textOf = (write: (target: Uint8Array) => number): string => {
  const target = new Uint8Array(80)
  return new TextDecoder().decode(target.subarray(0, write(target)))
}

describe('a JSON writer', () => {
  it('writes texts of any length', () => {
    for (const length of [JSON_CHUNK_BYTES - 1, JSON_CHUNK_BYTES, JSON_CHUNK_BYTES + 1, 5 * JSON_CHUNK_BYTES + 7]) {
      const text = 'abcdefghij'.repeat(Math.ceil(length / 10)).slice(0, length)
      const all = written((out) => {
        out.ascii('[')
        out.ascii(text)
        out.ascii(']')
      })
      expect(all === `[${text}]`, `${length}`).toBe(true)
    }
  })

  it('writes every safe integer in decimal', () => {
    const values = [0, 9, 10, 99, 100, 12_345, 999_999_999, 1e9, 1_000_000_001, 0xffff_ffff, 2 ** 32, 2 ** 53 - 1]
    for (const value of values) expect(written((out) => out.integer(value))).toBe(String(value))
  })

  it('writes bytes in hex across chunks', () => {
    const bytes = Uint8Array.from({ length: JSON_CHUNK_BYTES + 77 }, (_, i) => i * 7)
    expect(written((out) => out.hex(bytes))).toBe(Buffer.from(bytes).toString('hex'))
  })

  it('exposes its buffer for writing, and never changes emitted chunks', () => {
    const sink = new CollectingSink()
    const out = new JsonWriter(sink)
    let expected = ''
    for (let i = 0; i < 20_000; i++) {
      const buffer = out.reserve(10)
      let at = out.position
      for (const letter of `<${i}>`) buffer[at++] = letter.charCodeAt(0)
      out.commit(at)
      out.raw(new TextEncoder().encode('raw'))
      expected += `<${i}>raw`
    }
    out.flush()
    expect(sink.chunks.length).toBeGreaterThan(2)
    expect(sink.text).toBe(expected)
  })
})

describe('words as text', () => {
  it('are written most significant byte first', () => {
    for (const value of [0n, 1n, 15n, 16n, 0xabcn, 2n ** 255n + 5n, 2n ** 256n - 1n]) {
      const word = Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn))
      const hex = value.toString(16)
      expect(textOf((target) => writeWord(target, 0, word, 0))).toBe(hex.padStart(64, '0'))
      expect(textOf((target) => writeShortWord(target, 0, word, 0))).toBe(hex)
    }
    for (const value of [0, 15, 16, 30_000_000, 2 ** 53 - 1])
      expect(textOf((target) => writeHexNumber(target, 0, value))).toBe(value.toString(16))
  })
})
