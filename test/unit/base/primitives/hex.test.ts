import { describe, expect, it } from 'vitest'
import { bytesToHex, bytesToHexUnprefixed, hexToBytes, tryHexToBigInt } from '../../../../src/base/primitives/bytes.ts'

describe('hex', () => {
  // Short strings are joined, longer ones decoded from a shared buffer, the longest from a separate one.
  it.each([0, 1, 15, 16, 17, 20, 32, 256, 4096, 4097, 70_000])('writes and reads %d bytes', (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + 7) & 0xff)
    const expected = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    expect(bytesToHexUnprefixed(bytes)).toBe(expected)
    expect(bytesToHex(bytes)).toBe(`0x${expected}`)
    expect(hexToBytes(bytesToHex(bytes))).toEqual(bytes)
  })

  it('reads integers of any length', () => {
    const values = [
      0n,
      1n,
      15n,
      16n,
      2n ** 53n - 1n,
      2n ** 53n,
      2n ** 53n + 1n,
      2n ** 60n - 1n,
      2n ** 64n,
      2n ** 256n - 1n,
    ]
    for (const value of values) {
      const digits = value.toString(16)
      for (const text of [`0x${digits}`, `0X${digits.toUpperCase()}`, `0x${digits.padStart(64, '0')}`])
        expect(tryHexToBigInt(text, 64)).toBe(value)
    }
  })

  it.each(['', '0', '0x', '12', '0xg', '0x1g', '0x 1', '0x1 ', '-0x1', '0x-1', '0x1é', '0x12345'])(
    'reads no integer from %j with four digits at most',
    (text) => expect(tryHexToBigInt(text, 4)).toBeUndefined(),
  )
})
