/**
 * Verifies that the polynomial of a KZG commitment has a given value at a given point.
 *
 * The check needs a single point of the trusted setup, τ G2, so the rest is not loaded. The equation e(C - y G1, -G2) ·
 * e(π, τ G2 - z G2) = 1 is checked as e(C - y G1 + z π, -G2) · e(π, τ G2) = 1: both points of G2 are then constants,
 * whose lines are computed once.
 * @see EIP-4844
 * @module
 */

import { bytesToBigInt, equalBytes } from '../../base/primitives/bytes.ts'
import type { Affine, Jacobian, Term } from '../../base/primitives/curves/curve.ts'
import { type Fp2, inScope } from '../../base/primitives/curves/field.ts'
import { squareRoot } from '../../base/primitives/curves/squareRoots.ts'
import { sha256 } from '../../base/primitives/sha256.ts'
import { type Bls12381Groups, ORDER, P } from './bls12381Groups.ts'
import { isZeroAt, writeBigInt } from './input.ts'
import type { Pair, PreparedPoint } from './pairing.ts'
import type { RunPrecompile } from './runPrecompile.ts'

const INPUT_BYTES = 192
const FIELD_ELEMENTS_PER_BLOB = 4096n
const VERSION_KZG = 1
const COMPRESSED_BYTES = 48
/** Number of precomputed multiples of the generator. */
const GENERATOR_MULTIPLES = 32

/** τ G2 of the KZG ceremony. */
const TAU_G2: Affine<Fp2> = {
  x: {
    c0: 0x185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2n,
    c1: 0x15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72n,
  },
  y: {
    c0: 0x14353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a99n,
    c1: 0x1666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154fn,
  },
}
/** The negated generator of G2. */
const NEGATED_G2: Affine<Fp2> = {
  x: {
    c0: 0x24aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8n,
    c1: 0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7en,
  },
  y: {
    c0: 0xd1b3cc2c7027888be51d9ef691d77bcb679afda66c73f17f9ee3837a55024f78c71363275a75d75d86bab79f74782aan,
    c1: 0x13fa4d4a0ad8b1ce186ed5061789213d993923066dddaf1040bc3ff59f825c78df74f2d75467e25e0f55f8a00fa030edn,
  },
}
/** The generator of G1. */
const GENERATOR: Affine<bigint> = {
  x: 0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bbn,
  y: 0x8b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1n,
}

const OUTPUT: Uint8Array = new Uint8Array(64)
writeBigInt(OUTPUT, 0, FIELD_ELEMENTS_PER_BLOB, 32)
writeBigInt(OUTPUT, 32, ORDER, 32)

/** The precompile takes versioned hash, z and y (32 bytes each), commitment and proof (48 bytes each). */
export function createKzg<F, T>(groups: Bls12381Groups<F, T>): RunPrecompile {
  const { fields, g1, pairing } = groups
  const { fp, fp2 } = fields
  const generator = { x: fp.of(GENERATOR.x), y: fp.of(GENERATOR.y) }
  const multiples = groups.splitG1(generator, 1n).map(({ point }) => g1.oddMultiples(point, GENERATOR_MULTIPLES))
  const curveB = fp.of(4n)
  const [negatedG2, tauG2] = [NEGATED_G2, TAU_G2].map(({ x, y }) =>
    pairing.prepareFixed({ x: fp2.of(x), y: fp2.of(y) }),
  ) as [PreparedPoint<T>, PreparedPoint<T>]

  function holds(commitment: Uint8Array, z: bigint, y: bigint, proof: Uint8Array): boolean {
    const c = readG1(commitment)
    const pi = readG1(proof)
    if (c === 'invalid' || pi === 'invalid') return false
    const terms = groups
      .splitG1(generator, y === 0n ? 0n : ORDER - y)
      .map((term, i): Term<F> => ({ ...term, multiples: multiples[i] as readonly Jacobian<F>[] }))
    if (pi !== undefined) terms.push(...groups.splitG1(pi, z))
    const rest = g1.sum(terms)
    const leftSide = g1.toAffine(c === undefined ? rest : g1.add(rest, g1.toJacobian(c)))
    const pairs: Pair<F, T>[] = []
    if (leftSide !== undefined) pairs.push([leftSide, negatedG2])
    if (pi !== undefined) pairs.push([pi, tauG2])
    return pairing.isOne(pairing.millerOfFixed(pairs))
  }

  /**
   * Reads a point of G1 in compressed form: flags in the three highest bits (compressed, infinity, larger y), then x.
   * @returns undefined for infinity
   */
  function readG1(bytes: Uint8Array): Affine<F> | undefined | 'invalid' {
    const head = bytes[0] as number
    if (head >> 7 === 0) return 'invalid'
    if (head & 0x40) return head === 0xc0 && isZeroAt(bytes, 1, COMPRESSED_BYTES - 1) ? undefined : 'invalid'
    const value = BigInt.asUintN(8 * COMPRESSED_BYTES - 3, bytesToBigInt(bytes))
    if (value >= P) return 'invalid'
    const x = fp.of(value)
    const root = squareRoot(fp, fp.add(fp.mul(fp.sqr(x), x), curveB))
    if (root === undefined) return 'invalid'
    const isLarger = fp.valueOf(root) > (P - 1n) / 2n
    const point = { x, y: isLarger === ((head & 0x20) !== 0) ? root : fp.neg(root) }
    return groups.isInG1(point) ? point : 'invalid'
  }

  return (input) => {
    if (input.length !== INPUT_BYTES) return undefined
    const commitment = input.subarray(96, 144)
    const versionedHash = sha256(commitment)
    versionedHash[0] = VERSION_KZG
    if (!equalBytes(versionedHash, input.subarray(0, 32))) return undefined
    const z = bytesToBigInt(input.subarray(32, 64))
    const y = bytesToBigInt(input.subarray(64, 96))
    if (z >= ORDER || y >= ORDER) return undefined
    const isProven = inScope(fields, () => holds(commitment, z, y, input.subarray(144, INPUT_BYTES)))
    return isProven ? OUTPUT.slice() : undefined
  }
}
