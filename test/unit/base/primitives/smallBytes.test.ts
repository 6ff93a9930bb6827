import { expect, it } from 'vitest'
import { smallBytes } from '../../../../src/base/primitives/smallBytes.ts'

it('returns zeroed, unshared bytes of any length', () => {
  const lengths = Array.from({ length: 200 }, (_, i) => (i * 37) % 1200)
  const pieces = lengths.map((length, i) => {
    const bytes = smallBytes(length)
    expect(bytes.every((byte) => byte === 0)).toBe(true)
    return bytes.fill(i)
  })
  pieces.forEach((bytes, i) => {
    expect(bytes).toEqual(new Uint8Array(lengths[i] as number).fill(i))
  })
})
