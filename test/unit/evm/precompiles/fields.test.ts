// slow: generated field elements
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { fastFields } from '../../../../src/base/primitives/curves/fastFields.ts'
import { type FieldPair, type Fp2, inScope, portableFields } from '../../../../src/base/primitives/curves/field.ts'
import { LIMB_BITS, limbsOf } from '../../../../src/base/primitives/curves/montgomeryModule.ts'
import { wasmFields } from '../../../../src/base/primitives/curves/wasmField.ts'
import { createBls12381 } from '../../../../src/evm/precompiles/bls12381.ts'
import { Bls12381Groups } from '../../../../src/evm/precompiles/bls12381Groups.ts'
import { createBn254 } from '../../../../src/evm/precompiles/bn254.ts'
import { generatedCases } from '../../../support/host/generatedCases.ts'
import { blsG1, blsG2, bnG1, bnG2, outsiders, word } from './support.ts'

const BLS_P = bls12_381.fields.Fp.ORDER
const BN_P = bn254.fields.Fp.ORDER
const SECP256K1_P = 2n ** 256n - 2n ** 32n - 977n
const SEED = { seed: 7 }

describe.each([BLS_P, BN_P, SECP256K1_P])('the fields modulo %i', (p) => {
  const near = fc.tuple(fc.nat(400), fc.bigInt(-3n, 3n)).map(([bits, offset]) => 2n ** BigInt(bits) + offset)
  const runs = fc.tuple(fc.nat(400), fc.nat(400)).map(([a, b]) => 2n ** BigInt(a) - 2n ** BigInt(b))
  const plain = portableFields(p)
  const ofMontgomery = plain.fp.inv(2n ** BigInt(LIMB_BITS * limbsOf(p)) % p)
  const element = fc
    .oneof(fc.bigInt(0n, p - 1n), fc.bigInt(-3n, 3n), near, runs)
    .chain((value) => fc.constantFrom(value, (value % p) * ofMontgomery))
    .map((value) => ((value % p) + p) % p)
  const element2 = fc.record({ c0: element, c1: element })

  it('add and multiply in WebAssembly as over BigInt', async () => {
    const { fp } = await wasmFields(p)
    const pairs = fc.tuple(element, element)
    const check = ([a, b]: [bigint, bigint]) => {
      const mark = fp.mark()
      const [x, y] = [fp.of(a), fp.of(b)]
      for (const name of ['add', 'sub', 'mul'] as const) expect(fp.valueOf(fp[name](x, y))).toBe(plain.fp[name](a, b))
      for (const name of ['neg', 'sqr', 'inv'] as const) expect(fp.valueOf(fp[name](x))).toBe(plain.fp[name](a))
      expect([fp.equal(x, y), fp.equal(x, fp.of(a)), fp.isZero(x)]).toEqual([a === b, true, a === 0n])
      fp.keep(mark, [])
    }
    fc.assert(fc.property(pairs, check), { ...SEED, numRuns: generatedCases(500) })
  })

  it('do the same in the extension', async () => {
    const { fp, fp2 } = await wasmFields(p)
    const check = ([a, b]: [Fp2, Fp2]) => {
      const [x, y] = [fp2.of(a), fp2.of(b)]
      for (const name of ['add', 'sub', 'mul', 'addRotated'] as const) {
        expect(fp2.valueOf(fp2[name](x, y))).toEqual(plain.fp2[name](a, b))
      }
      for (const name of ['neg', 'sqr', 'inv', 'conjugate'] as const) {
        expect(fp2.valueOf(fp2[name](x))).toEqual(plain.fp2[name](a))
      }
      expect(fp2.valueOf(fp2.scale(x, fp.of(b.c0)))).toEqual(plain.fp2.scale(a, b.c0))
      expect(fp2.valueOf(fp2.fromParts(...fp2.partsOf(x)))).toEqual(a)
      expect([fp2.equal(x, y), fp2.equal(x, fp2.of(a)), fp2.isZero(x)]).toEqual([
        plain.fp2.equal(a, b),
        true,
        plain.fp2.isZero(a),
      ])
    }
    fc.assert(fc.property(fc.tuple(element2, element2), check), { ...SEED, numRuns: generatedCases(300) })
  })

  it('free memory, except for kept elements', async () => {
    const { fp } = await wasmFields(p)
    const before = fp.mark()
    let product = fp.of(3n)
    const mark = fp.mark()
    for (let i = 0; i < 100_000; i++) [product] = fp.keep(mark, [fp.mul(product, product)] as const)
    expect(fp.mark() - before).toBeLessThan(100_000)
    let expected = 3n
    for (let i = 0; i < 100_000; i++) expected = (expected * expected) % p
    expect(fp.valueOf(product)).toBe(expected)
    fp.keep(before, [])
    expect(fp.mark()).toBe(before)
  })

  it('grow their memory', async () => {
    const { fp } = await wasmFields(p)
    const elements = Array.from({ length: 50_000 }, (_, i) => fp.of(BigInt(i)))
    expect(elements.map((element) => fp.valueOf(element))).toEqual(elements.map((_, i) => BigInt(i)))
  })

  it('are unchanged when their memory cannot grow', async () => {
    const fields = await wasmFields(p)
    const { fp } = fields
    const before = fp.mark()
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw new RangeError('no memory')
    })
    const fill = () => {
      for (;;) fp.of(1n)
    }
    try {
      expect(() => inScope(fields, fill)).toThrow('no memory')
    } finally {
      grow.mockRestore()
    }
    expect(fp.mark()).toBe(before)
    expect(fp.valueOf(fp.mul(fp.of(3n), fp.of(5n)))).toBe(15n)
  })
})

describe('curves over BigInt, for hosts that compile no WebAssembly', () => {
  const scalar = fc.bigInt(1n, 2n ** 255n)
  const bls = async () => [
    createBls12381(new Bls12381Groups<unknown, unknown>(portableFields(BLS_P) as FieldPair<unknown, unknown>)),
    createBls12381(new Bls12381Groups(await fastFields(BLS_P))),
  ]
  const bn = async () => [
    createBn254<unknown, unknown>(portableFields(BN_P) as FieldPair<unknown, unknown>),
    createBn254(await fastFields(BN_P)),
  ]

  function agree<N extends string>(
    [portable, fast]: Readonly<Record<N, (input: Uint8Array) => Uint8Array | undefined>>[],
    name: N,
    input: Uint8Array,
  ): Uint8Array | undefined {
    const output = portable?.[name](input)
    expect(fast?.[name](input)).toEqual(output)
    return output
  }

  it('agree for BLS12-381', async () => {
    const both = await bls()
    const { G1, G2, fields } = bls12_381
    const order = fields.Fr.ORDER
    const check = (a: bigint, b: bigint, x: bigint, y: bigint) => {
      const [p, q] = [G1.Point.BASE.multiply((a % (order - 1n)) + 1n), G2.Point.BASE.multiply((b % (order - 1n)) + 1n)]
      const [p2, q2] = [blsG1(p.negate()), blsG2(q)]
      const scalars = [word(x), word(y)] as const
      agree(both, 'BLS12_G1MSM', concatBytes(blsG1(p), scalars[0], p2, scalars[1]))
      agree(both, 'BLS12_G2MSM', concatBytes(q2, scalars[0], blsG2(q.double()), scalars[1]))
      const one = concatBytes(blsG1(p), q2, p2, q2)
      expect(agree(both, 'BLS12_PAIRING_CHECK', one)).toEqual(word(1))
      expect(agree(both, 'BLS12_PAIRING_CHECK', concatBytes(one, blsG1(p), q2))).toEqual(word(0))
      agree(both, 'BLS12_MAP_FP_TO_G1', word((x * y) % BLS_P, 64))
      agree(both, 'BLS12_MAP_FP2_TO_G2', concatBytes(word((x * y) % BLS_P, 64), word(y, 64)))
    }
    fc.assert(fc.property(scalar, scalar, scalar, scalar, check), { ...SEED, numRuns: 6 })
    for (const name of ['BLS12_G1MSM', 'BLS12_G2MSM'] as const) {
      const point = name === 'BLS12_G1MSM' ? outsiders.blsG1() : outsiders.blsG2()
      expect(agree(both, name, concatBytes(point, word(1)))).toBeUndefined()
    }
    for (const [c0, c1] of [
      [0n, 0n],
      [1n, 0n],
      [0n, 1n],
      [BLS_P - 1n, BLS_P - 1n],
      [0n, BLS_P - 1n],
    ] as const) {
      agree(both, 'BLS12_MAP_FP_TO_G1', word(c0, 64))
      agree(both, 'BLS12_MAP_FP2_TO_G2', concatBytes(word(c0, 64), word(c1, 64)))
    }
  })

  it('agree for more pairs than one batch', async () => {
    const [portable, fast] = await bls()
    const pairs = Array.from({ length: 260 }, (_, i) =>
      concatBytes(blsG1(bls12_381.G1.Point.BASE.multiply(BigInt((i % 7) + 1))), word(2n ** 256n - BigInt(i) - 1n)),
    )
    const input = concatBytes(...pairs)
    expect(fast?.BLS12_G1MSM(input)).toEqual(portable?.BLS12_G1MSM(input))
    const [p, q] = [blsG1(bls12_381.G1.Point.BASE), blsG2(bls12_381.G2.Point.BASE)]
    const opposite = blsG1(bls12_381.G1.Point.BASE.negate())
    const many = concatBytes(...Array.from({ length: 18 }, () => concatBytes(p, q, opposite, q)))
    expect(fast?.BLS12_PAIRING_CHECK(many)).toEqual(word(1))
    expect(fast?.BLS12_PAIRING_CHECK(concatBytes(many, p, q))).toEqual(word(0))
  })

  it('agree for alt_bn128', async () => {
    const both = await bn()
    const { G1, G2, fields } = bn254
    const order = fields.Fr.ORDER
    const check = (a: bigint, b: bigint, x: bigint) => {
      const [p, q] = [G1.Point.BASE.multiply((a % (order - 1n)) + 1n), G2.Point.BASE.multiply((b % (order - 1n)) + 1n)]
      agree(both, 'BN254_MUL', concatBytes(bnG1(p), word(x)))
      const one = concatBytes(bnG1(p), bnG2(q), bnG1(p.negate()), bnG2(q))
      expect(agree(both, 'BN254_PAIRING', one)).toEqual(word(1))
      expect(agree(both, 'BN254_PAIRING', concatBytes(one, bnG1(p), bnG2(q)))).toEqual(word(0))
      const many = concatBytes(...Array.from({ length: 9 }, () => one))
      expect(both[1]?.BN254_PAIRING(many)).toEqual(word(1))
      expect(both[1]?.BN254_PAIRING(concatBytes(many, bnG1(p), bnG2(q)))).toEqual(word(0))
    }
    fc.assert(fc.property(scalar, scalar, scalar, check), { ...SEED, numRuns: 6 })
    expect(agree(both, 'BN254_PAIRING', concatBytes(bnG1(G1.Point.BASE), outsiders.bnG2()))).toBeUndefined()
  })
})
