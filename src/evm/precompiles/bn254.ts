/**
 * Addition, multiplication and pairing over the curve alt_bn128 (bn254).
 * @see EIP-196, EIP-197
 * @module
 */
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { type Affine, Curve, type Jacobian, type Term } from '../../base/primitives/curves/curve.ts'
import { type FieldPair, type Fp2, inScope, primeField, quadraticField } from '../../base/primitives/curves/field.ts'
import { booleanWord, isZeroAt, paddedSlice, writeBigInt } from './input.ts'
import { Pairing, type PairingCurve } from './pairing.ts'
import { interruptible, type PrecompileSteps, type RunPrecompile } from './runPrecompile.ts'

const FP_BYTES = 32
const G1_BYTES = 64
const PAIR_BYTES = 192

export const BN254_P: bigint = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n
const ORDER = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n
/** The curve's parameter u. */
const SEED = 4965661367192848881n

/** (x, y) → (BETA · x, y) multiplies a point of G1 by LAMBDA. */
const BETA = 0x59e26bcea0d48bacd4f263f1acdb5c4f5763473177fffffen
/** Short vectors (a, b) with a + b · LAMBDA = 0 modulo the order: the first, and the second's second component. */
const A1 = 147946756881789319010696353538189108491n
const B1 = 9931322734385697763n
const B2 = -147946756881789319000765030803803410728n

const PAIRING: PairingCurve = {
  n: 9n,
  isTwistedByProduct: false,
  loop: 6n * SEED + 2n,
  hasFrobeniusLines: true,
  // (12u³ + 12u² + 6u + 1) + (12u³ + 6u² + 4u) p + (12u³ + 6u² + 6u) p² + (12u³ + 6u² + 4u - 1) p³
  // @see Fuentes-Castañeda, Knapp and Rodríguez-Henríquez (2011), Faster hashing to G2
  hardPart(tower, f) {
    const powerOfU = (a: typeof f): typeof f => tower.cyclotomicPower(a, SEED)
    const u2 = tower.cyclotomicSqr(powerOfU(f))
    const u6 = tower.mul(tower.cyclotomicSqr(u2), u2)
    const u6Squared = powerOfU(u6)
    const u12Cubed = powerOfU(tower.cyclotomicSqr(u6Squared))
    const a = tower.mul(u12Cubed, tower.mul(u6Squared, u6))
    const b = tower.mul(a, tower.conjugate(u2))
    const first = tower.mul(tower.mul(a, u6Squared), f)
    const second = tower.powerOfP(b)
    const third = tower.powerOfP(tower.powerOfP(a))
    const fourth = tower.powerOfP(tower.powerOfP(tower.powerOfP(tower.mul(b, tower.conjugate(f)))))
    return tower.mul(tower.mul(first, second), tower.mul(third, fourth))
  },
}

/** 'invalid', or a point; undefined for infinity. */
type Parsed<T> = Affine<T> | undefined | 'invalid'

// One inversion and a few products do not justify converting the numbers.
const plainFp = primeField(BN254_P)
const plainFp2 = quadraticField(plainFp)
const plainG1 = new Curve(plainFp, 3n)
/** The constant b of the twist: 3 / ξ. */
const TWIST_B = plainFp2.mul({ c0: 3n, c1: 0n }, plainFp2.inv({ c0: 9n, c1: 1n }))
const plainG2 = new Curve(plainFp2, TWIST_B)

export function createBn254<F, T>(
  fields: FieldPair<F, T>,
): Readonly<Record<'BN254_ADD' | 'BN254_MUL' | 'BN254_PAIRING', RunPrecompile>> {
  const { fp, fp2 } = fields
  const g1 = new Curve(fp, fp.of(3n))
  const g2 = new Curve(fp2, fp2.of(TWIST_B))
  const pairing = new Pairing(fields, PAIRING)
  const beta = fp.of(BETA)
  const [psiX, psiY] = [pairing.tower.frobenius[2] as T, pairing.tower.frobenius[3] as T]

  /** @param input a point of G1 and a scalar of 32 bytes; missing bytes are zero, excess bytes are ignored */
  function multiply(input: Uint8Array): Uint8Array | undefined {
    const words = paddedSlice(input, 0, G1_BYTES + FP_BYTES)
    const plain = readG1(words, 0)
    if (plain === 'invalid') return undefined
    if (plain === undefined) return writeG1(undefined)
    const product = g1.toAffine(g1.sum(split(ofG1(plain), readWord(words, G1_BYTES) % ORDER)))
    return writeG1(product && { x: fp.valueOf(product.x), y: fp.valueOf(product.y) })
  }

  /** @param input pairs of a point of G1 and a point of G2, whose imaginary parts precede the real parts */
  function* pair(input: Uint8Array): PrecompileSteps {
    if (input.length % PAIR_BYTES !== 0) return undefined
    const isOne = yield* pairing.check(input, PAIR_BYTES, (offset) => {
      const a = readG1(input, offset)
      const b = readMemberOfG2(input, offset + G1_BYTES)
      if (a === 'invalid' || b === 'invalid') return 'invalid'
      return a && b && [ofG1(a), pairing.prepare(b)]
    })
    return isOne === undefined ? undefined : booleanWord(isOne)
  }

  const ofG1 = ({ x, y }: Affine<bigint>): Affine<F> => ({ x: fp.of(x), y: fp.of(y) })

  function readMemberOfG2(input: Uint8Array, offset: number): Parsed<T> {
    const plain = readG2(input, offset)
    if (plain === undefined || plain === 'invalid') return plain
    const point = { x: fp2.of(plain.x), y: fp2.of(plain.y) }
    return isInG2(point) ? point : 'invalid'
  }

  /**
   * Splits a product into two whose scalars have half the length.
   * @see Gallant, Lambert and Vanstone (2001)
   */
  function split(point: Affine<F>, scalar: bigint): Term<F>[] {
    const c1 = (-B2 * scalar) / ORDER
    const c2 = (B1 * scalar) / ORDER
    return [
      { point, scalar: scalar - c1 * A1 - c2 * B1 },
      { point: { x: fp.mul(point.x, beta), y: point.y }, scalar: -c1 * B1 - c2 * B2 },
    ]
  }

  /**
   * Whether a point of the twist has the order of G2: (u + 1) Q + ψ(u Q) + ψ²(u Q) = ψ³(2 u Q).
   * @see Dai, Lin, Zhao and Zhou, Fast subgroup membership testings for G1, G2 and GT (2022)
   */
  function isInG2(point: Affine<T>): boolean {
    const multiple = g2.sum([{ point, scalar: SEED }])
    const once = psi(multiple)
    const twice = psi(once)
    const leftSide = g2.add(g2.add(multiple, g2.toJacobian(point)), g2.add(once, twice))
    const right = psi(g2.double(twice))
    return fp2.isZero(g2.add(leftSide, g2.negateJacobian(right)).z)
  }

  function psi({ x, y, z }: Jacobian<T>): Jacobian<T> {
    return { x: fp2.mul(fp2.conjugate(x), psiX), y: fp2.mul(fp2.conjugate(y), psiY), z: fp2.conjugate(z) }
  }

  return {
    BN254_ADD: bn254Add,
    BN254_MUL: (input) => inScope(fields, () => multiply(input)),
    BN254_PAIRING: interruptible(pair),
  }
}

/** @param input two points of G1; missing bytes are zero, excess bytes are ignored */
function bn254Add(input: Uint8Array): Uint8Array | undefined {
  const points = paddedSlice(input, 0, 2 * G1_BYTES)
  const a = readG1(points, 0)
  const b = readG1(points, G1_BYTES)
  return a === 'invalid' || b === 'invalid' ? undefined : writeG1(plainG1.addAffine(a, b))
}

function readWord(input: Uint8Array, offset: number): bigint {
  return bytesToBigInt(input.subarray(offset, offset + FP_BYTES))
}

function readG1(input: Uint8Array, offset: number): Parsed<bigint> {
  if (isZeroAt(input, offset, G1_BYTES)) return undefined
  const point = { x: readWord(input, offset), y: readWord(input, offset + FP_BYTES) }
  return point.x < BN254_P && point.y < BN254_P && plainG1.contains(point) ? point : 'invalid'
}

function readG2(input: Uint8Array, offset: number): Parsed<Fp2> {
  if (isZeroAt(input, offset, 4 * FP_BYTES)) return undefined
  const x = readFp2(input, offset)
  const y = readFp2(input, offset + 2 * FP_BYTES)
  if (x === undefined || y === undefined) return 'invalid'
  return plainG2.contains({ x, y }) ? { x, y } : 'invalid'
}

function readFp2(input: Uint8Array, offset: number): Fp2 | undefined {
  const c1 = readWord(input, offset)
  const c0 = readWord(input, offset + FP_BYTES)
  return c0 < BN254_P && c1 < BN254_P ? { c0, c1 } : undefined
}

function writeG1(point: Affine<bigint> | undefined): Uint8Array {
  const output = new Uint8Array(G1_BYTES)
  if (point !== undefined) {
    writeBigInt(output, 0, point.x, FP_BYTES)
    writeBigInt(output, FP_BYTES, point.y, FP_BYTES)
  }
  return output
}
