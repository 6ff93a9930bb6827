import { describe, expect, it } from 'vitest'
import { bytesToHex, bytesToHexUnprefixed, hexToBytes } from '../../../../src/base/primitives/bytes.ts'

describe('hex', () => {
  // Short strings are joined, longer ones decoded from a shared buffer, the longest from a separate one.
  it.each([0, 1, 15, 16, 17, 20, 32, 256, 4096, 4097, 70_000])('writes and reads %d bytes', (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + 7) & 0xff)
    const expected = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    expect(bytesToHexUnprefixed(bytes)).toBe(expected)
    expect(bytesToHex(bytes)).toBe(`0x${expected}`)
    expect(hexToBytes(bytesToHex(bytes))).toEqual(bytes)
  })
})
