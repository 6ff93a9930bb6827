/**
 * Addition, multiplication and pairing over the curve alt_bn128 (bn254).
 * @see EIP-196, EIP-197
 * @module
 */
import { bn254 } from '@noble/curves/bn254.js'
import { bytesToBigInt } from '../../primitives/bytes.ts'
import { type Affine, Curve, type Jacobian, type Term } from './curve.ts'
import { type Fp2, power, primeField, quadraticField } from './field.ts'
import { booleanWord, isZeroAt, paddedSlice, writeBigInt } from './input.ts'

const FP_BYTES = 32
const G1_BYTES = 64
const PAIR_BYTES = 192

const P = bn254.fields.Fp.ORDER
const ORDER = bn254.fields.Fr.ORDER
/** The curve's parameter u. */
const SEED = 4965661367192848881n

const fp = primeField(P)
const fp2 = quadraticField(fp)
const g1 = new Curve(fp, 3n)
const g2 = new Curve(fp2, fp2.mul({ c0: 3n, c1: 0n }, fp2.inv({ c0: 9n, c1: 1n })))

/** (x, y) → (BETA · x, y) multiplies a point of G1 by LAMBDA. */
const BETA = 0x59e26bcea0d48bacd4f263f1acdb5c4f5763473177fffffen
/** Short vectors (a, b) with a + b · LAMBDA = 0 modulo the order: the first, and the second's second component. */
const A1 = 147946756881789319010696353538189108491n
const B1 = 9931322734385697763n
const B2 = -147946756881789319000765030803803410728n

/** Factors of the endomorphism of G2 that comes from Frobenius, for x and y. */
const PSI_X = power(fp2, { c0: 9n, c1: 1n }, (P - 1n) / 3n)
const PSI_Y = power(fp2, { c0: 9n, c1: 1n }, (P - 1n) / 2n)

/** 'invalid', or a point; undefined is infinity. */
type Parsed<T> = Affine<T> | undefined | 'invalid'

/** @param input two points of G1; what is missing is zero, what is too much is left out */
export function bn254Add(input: Uint8Array): Uint8Array | undefined {
  const points = paddedSlice(input, 0, 2 * G1_BYTES)
  const a = readG1(points, 0)
  const b = readG1(points, G1_BYTES)
  return a === 'invalid' || b === 'invalid' ? undefined : writeG1(g1.addAffine(a, b))
}

/** @param input a point of G1 and a scalar of 32 bytes; what is missing is zero, what is too much is left out */
export function bn254Mul(input: Uint8Array): Uint8Array | undefined {
  const words = paddedSlice(input, 0, G1_BYTES + FP_BYTES)
  const point = readG1(words, 0)
  if (point === 'invalid') return undefined
  if (point === undefined) return writeG1(undefined)
  return writeG1(g1.toAffine(g1.sum(split(point, readWord(words, G1_BYTES) % ORDER))))
}

/** @param input pairs of a point of G1 and one of G2, whose imaginary parts come first */
export function bn254Pairing(input: Uint8Array): Uint8Array | undefined {
  if (input.length % PAIR_BYTES !== 0) return undefined
  const lines: Parameters<typeof bn254.millerLoopBatch>[0] = []
  for (let offset = 0; offset < input.length; offset += PAIR_BYTES) {
    const a = readG1(input, offset)
    const b = readG2(input, offset + G1_BYTES)
    if (a === 'invalid' || b === 'invalid') return undefined
    if (a === undefined || b === undefined) continue
    lines.push([bn254.utils.calcPairingPrecomputes(bn254.G2.Point.fromAffine(b)), a.x, a.y])
  }
  const { Fp12 } = bn254.fields
  return booleanWord(lines.length === 0 || Fp12.eql(Fp12.finalExponentiate(bn254.millerLoopBatch(lines)), Fp12.ONE))
}

function readWord(input: Uint8Array, offset: number): bigint {
  return bytesToBigInt(input.subarray(offset, offset + FP_BYTES))
}

function readG1(input: Uint8Array, offset: number): Parsed<bigint> {
  if (isZeroAt(input, offset, G1_BYTES)) return undefined
  const point = { x: readWord(input, offset), y: readWord(input, offset + FP_BYTES) }
  return point.x < P && point.y < P && g1.contains(point) ? point : 'invalid'
}

function readG2(input: Uint8Array, offset: number): Parsed<Fp2> {
  if (isZeroAt(input, offset, 4 * FP_BYTES)) return undefined
  const x = readFp2(input, offset)
  const y = readFp2(input, offset + 2 * FP_BYTES)
  if (x === undefined || y === undefined) return 'invalid'
  const point = { x, y }
  return g2.contains(point) && isInG2(point) ? point : 'invalid'
}

function readFp2(input: Uint8Array, offset: number): Fp2 | undefined {
  const c1 = readWord(input, offset)
  const c0 = readWord(input, offset + FP_BYTES)
  return c0 < P && c1 < P ? { c0, c1 } : undefined
}

function writeG1(point: Affine<bigint> | undefined): Uint8Array {
  const output = new Uint8Array(G1_BYTES)
  if (point !== undefined) {
    writeBigInt(output, 0, point.x, FP_BYTES)
    writeBigInt(output, FP_BYTES, point.y, FP_BYTES)
  }
  return output
}

/** A product as two with scalars of half the length. @see Gallant, Lambert and Vanstone (2001) */
function split(point: Affine<bigint>, scalar: bigint): Term<bigint>[] {
  const c1 = (-B2 * scalar) / ORDER
  const c2 = (B1 * scalar) / ORDER
  return [term(point, scalar - c1 * A1 - c2 * B1), term({ x: fp.mul(point.x, BETA), y: point.y }, -c1 * B1 - c2 * B2)]
}

function term(point: Affine<bigint>, scalar: bigint): Term<bigint> {
  return scalar < 0n ? { point: g1.negate(point), scalar: -scalar } : { point, scalar }
}

/**
 * Whether a point of the twist has the order of G2: (u + 1) Q + ψ(u Q) + ψ²(u Q) = ψ³(2 u Q).
 * @see Dai, Lin, Zhao and Zhou, Fast subgroup membership testings for G1, G2 and GT (2022)
 */
function isInG2(point: Affine<Fp2>): boolean {
  const multiple = g2.sum([{ point, scalar: SEED }])
  const once = psi(multiple)
  const twice = psi(once)
  const left = g2.add(g2.add(multiple, g2.toJacobian(point)), g2.add(once, twice))
  const right = psi(g2.double(twice))
  return fp2.isZero(g2.add(left, { ...right, y: fp2.neg(right.y) }).z)
}

function psi({ x, y, z }: Jacobian<Fp2>): Jacobian<Fp2> {
  return { x: fp2.mul(conjugate(x), PSI_X), y: fp2.mul(conjugate(y), PSI_Y), z: conjugate(z) }
}

function conjugate({ c0, c1 }: Fp2): Fp2 {
  return { c0, c1: fp.neg(c1) }
}
