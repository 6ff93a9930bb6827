import { describe, expect, test } from 'vitest'
import { CHECKSUM_BYTES, hasChecksum, withChecksum, xxh32 } from '../../../src/storage/checksum.ts'
import { bytes } from './contract.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

describe('XXH32', () => {
  test.each([
    ['', 0x02cc5d05],
    ['abc', 0x32d153ff],
    ['Nobody inspects the spammish repetition', 0xe2293b2f],
  ])('of "%s" has the value of the specification', (value, hash) => {
    const input = text(value)
    expect(xxh32(input, input.length, 0) >>> 0).toBe(hash)
  })
})

describe('a value with a checksum', () => {
  const key = bytes(0x26, 1, 2, 3)
  const value = Uint8Array.from({ length: 70 }, (_, i) => i)
  const stored = withChecksum(key, value)

  test('is recognised, also when it is empty', () => {
    expect(stored.subarray(0, value.length)).toEqual(value)
    expect(hasChecksum(key, stored, stored.length)).toBe(true)
    expect(hasChecksum(key, withChecksum(key, bytes()), CHECKSUM_BYTES)).toBe(true)
  })

  test('is refused with any bit changed, at any other length, and under another key', () => {
    for (let bit = 0; bit < 8 * stored.length; bit++) {
      const changed = stored.slice()
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(hasChecksum(key, changed, changed.length)).toBe(false)
    }
    for (let length = 0; length < stored.length; length++) expect(hasChecksum(key, stored, length)).toBe(false)
    expect(hasChecksum(bytes(0x26, 1, 2, 4), stored, stored.length)).toBe(false)
  })
})
