import { describe, expect, test } from 'vitest'
import { bigIntToBytes, bytesToBigInt, bytesToHex } from '../../../../src/base/primitives/bytes.ts'

describe('big-endian integers', () => {
  test('have no leading zeros at any length', () => {
    expect(bigIntToBytes(0n)).toEqual(new Uint8Array(0))
    for (let bits = 1n; bits <= 264n; bits++) {
      for (const value of [1n << (bits - 1n), (1n << bits) - 1n, (1n << bits) - (1n << (bits / 2n))]) {
        const digits = value.toString(16)
        const bytes = bigIntToBytes(value)
        expect(bytesToHex(bytes)).toBe(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`)
        expect(bytesToBigInt(bytes)).toBe(value)
      }
    }
  })

  test('are not negative', () => {
    expect(() => bigIntToBytes(-1n)).toThrow(RangeError)
  })
})
