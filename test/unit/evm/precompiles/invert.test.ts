import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invert } from '../../../../src/base/primitives/curves/invert.ts'

describe('the modular inverse', () => {
  it.each([
    7n,
    2n ** 31n - 1n,
    2n ** 61n - 1n,
    2n ** 127n - 1n,
    0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n,
    0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
    0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
  ])('times the value is 1 modulo %i', (p) => {
    const near = fc.tuple(fc.nat(400), fc.bigInt(-3n, 3n)).map(([bits, offset]) => 2n ** BigInt(bits) + offset)
    const fraction = fc.tuple(fc.bigInt(1n, 2n ** 60n), fc.bigInt(-2n, 2n)).map(([k, offset]) => p / k + offset)
    fc.assert(
      fc.property(fc.oneof(fc.bigInt(0n, p), fc.nat().map(BigInt), near, fraction), (value) => {
        const reduced = ((value % p) + p) % p
        const inverse = invert(reduced, p)
        expect(inverse >= 0n && inverse < p).toBe(true)
        expect((inverse * reduced) % p).toBe(reduced === 0n ? 0n : 1n)
      }),
      { numRuns: 500 },
    )
  })
})
