import { describe, expect, it } from 'vitest'
import { uint64, wei } from '../../../src/rpc/codecs/scalars.ts'
import { parseJson } from '../../../src/rpc/jsonText.ts'

describe('integers that a number cannot hold', () => {
  it('reach the codecs without loss', () => {
    const { value } = parseJson('[1234567890123456789, 9007199254740993]') ?? {}
    const [ether, gas] = value as unknown[]
    expect(wei.parse(ether)).toBe(1234567890123456789n)
    expect(uint64.parse(gas)).toBe(9007199254740993n)
  })

  it('are bounded and not negative', () => {
    expect(wei.parse(2n ** 256n - 1n)).toBe(2n ** 256n - 1n)
    for (const value of [2n ** 256n, -1n]) expect(() => wei.parse(value)).toThrow('at most 256 bits')
    for (const value of [2n ** 64n, -1n]) expect(() => uint64.parse(value)).toThrow('at most 64 bits')
  })
})
