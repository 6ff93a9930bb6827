import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_RLPX_MESSAGE_BYTES } from '../../../../../src/base/limits/limits.ts'
import { bytesToHexUnprefixed, equalBytes, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../../../src/base/primitives/errors.ts'
import {
  maxSnappyBytes,
  snappyCompress,
  snappyDecompress,
  snappyLength,
} from '../../../../../src/net/p2p/rlpx/snappy.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const bytes = (hex: string): Uint8Array => hexToBytes(hex.replaceAll(' ', ''))

function refusal(input: Uint8Array, maxBytes?: number): string {
  try {
    snappyDecompress(input, maxBytes)
  } catch (error) {
    if (isNodeError(error, 'INVALID_SNAPPY')) return error.message
    throw error
  }
  return 'accepted'
}

/** Data with repetitions at all distances, as blocks have. */
function repetitive(seed: number, length: number): Uint8Array {
  const random = new SeededRandom(seed)
  const result = new Uint8Array(length)
  for (let at = 0; at < length; ) {
    const count = Math.min(1 + random.below(300), length - at)
    if (at > 0 && random.chance(0.6)) {
      const distance = 1 + random.below(at)
      for (let i = 0; i < count; i++) result[at + i] = result[at + i - distance] as number
    } else result.set(random.bytes(count), at)
    at += count
  }
  return result
}

describe('the snappy block format', () => {
  it('decompresses each kind of element (format_description.txt)', () => {
    expect(snappyDecompress(bytes('00'))).toEqual(new Uint8Array(0))
    // Literal, then copies with an offset of 11, 16 and 32 bits.
    expect(snappyDecompress(bytes('03 08 616263'))).toEqual(text('abc'))
    expect(snappyDecompress(bytes('0a 08 616263 0d 03'))).toEqual(text('abcabcabca'))
    expect(snappyDecompress(bytes('06 08 616263 0a 0300'))).toEqual(text('abcabc'))
    expect(snappyDecompress(bytes('06 08 616263 0b 03000000'))).toEqual(text('abcabc'))
    // Literals whose length takes one to four bytes.
    for (const prefix of ['f002', 'f40200', 'f8020000', 'fc02000000']) {
      expect(snappyDecompress(bytes(`03 ${prefix} 616263`)), prefix).toEqual(text('abc'))
    }
    // A copy that overlaps itself repeats.
    expect(snappyDecompress(bytes('08 00 61 0d 01'))).toEqual(text('aaaaaaaa'))
  })

  it('compresses short data as a literal, repetitions as copies', () => {
    expect(bytesToHexUnprefixed(snappyCompress(new Uint8Array(0)))).toBe('00')
    expect(bytesToHexUnprefixed(snappyCompress(bytes('c0')))).toBe('0100c0')
    expect(snappyCompress(new Uint8Array(10_000)).length).toBeLessThan(600)
    expect(snappyCompress(repetitive(1, 100_000)).length).toBeLessThan(70_000)
  })

  it('refuses malformed data', () => {
    expect(refusal(new Uint8Array(0))).toMatch('varint')
    expect(refusal(bytes('ffffffffff'))).toMatch('varint')
    expect(refusal(bytes('ffffffff1f 00'))).toMatch('varint')
    expect(refusal(bytes('03 08 6162'))).toMatch('cut off')
    expect(refusal(bytes('02 08 616263'))).toMatch('exceed')
    expect(refusal(bytes('04 08 616263'))).toMatch('shorter')
    expect(refusal(bytes('07 08 616263 0a 0400'))).toMatch('before the data')
    expect(refusal(bytes('06 08 616263 0a 0000'))).toMatch('before the data')
    expect(refusal(bytes('06 08 616263 0a 03'))).toMatch('cut off')
    expect(refusal(bytes('05 08 616263 0a 0300'))).toMatch('exceed')
    expect(refusal(bytes('03 f4 02'))).toMatch('cut off')
  })

  it('refuses long data before it reserves memory', () => {
    const announced = (length: number): Uint8Array => {
      const prefix: number[] = []
      let rest = length
      for (; rest >= 128; rest = Math.floor(rest / 128)) prefix.push((rest % 128) + 128)
      return Uint8Array.of(...prefix, rest, ...new Uint8Array(60))
    }
    expect(snappyLength(announced(2 ** 32 - 1)).length).toBe(2 ** 32 - 1)
    expect(refusal(announced(MAX_RLPX_MESSAGE_BYTES + 1))).toMatch('allowed')
    expect(refusal(announced(MAX_RLPX_MESSAGE_BYTES))).toMatch('cannot expand')
    expect(refusal(announced(1000), 999)).toMatch('allowed')
  })

  it('restores everything that it has compressed', () => {
    for (let seed = 0; seed < 60; seed++) {
      const data = repetitive(seed, new SeededRandom(seed + 1000).below(seed < 50 ? 3000 : 200_000))
      const compressed = snappyCompress(data)
      expect(compressed.length).toBeLessThanOrEqual(maxSnappyBytes(data.length))
      expect(equalBytes(snappyDecompress(compressed), data)).toBe(true)
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400, max: 3 }), (data) => {
        expect(snappyDecompress(snappyCompress(data))).toEqual(data)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it('decompresses or refuses any bytes', () => {
    const check = (input: Uint8Array): void => void refusal(input, 10_000)
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), check), { seed: 2, numRuns: 5000 })
    const random = new SeededRandom(3)
    for (let run = 0; run < 3000; run++) {
      const input = snappyCompress(repetitive(run, 1 + random.below(500)))
      for (let i = 0; i <= run % 3; i++) input[random.below(input.length)] = random.below(256)
      check(run % 2 === 0 ? input : input.subarray(0, random.below(input.length)))
    }
  })
})
