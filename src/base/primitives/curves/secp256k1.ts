/**
 * Recovery of public keys over secp256k1.
 * @see SEC 1, section 4.1.6; Gallant, Lambert and Vanstone (2001), Faster point multiplication
 * @module
 */
import { bigIntToBytesPadded, bytesToBigInt, concatBytes } from '../bytes.ts'
import { SECP256K1_ORDER } from '../secp256k1Order.ts'
import { type Affine, Curve, type Jacobian, type Term } from './curve.ts'
import { type FieldPair, inScope, primeField } from './field.ts'
import { squareRoot } from './squareRoots.ts'

export const SECP256K1_P: bigint = 2n ** 256n - 2n ** 32n - 977n
const GENERATOR_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n
const GENERATOR_Y = 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n

/** (x, y) → (BETA · x, y) multiplies a point by LAMBDA. */
const BETA = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een
/** Short vectors (a, b) with a + b · LAMBDA = 0 modulo the order: (A1, B1) and (A2, A1). */
const A1 = 0x3086d221a7d46bcde86c90e49284eb15n
const B1 = -0xe4437ed6010e88286f547fa90abfe4c3n
const A2 = 0x114ca50f7a8e2f3f657c1108d9d44cfd8n

/** Number of precomputed multiples of the generator. */
const GENERATOR_MULTIPLES = 16

/** Odd multiples of a point and of its product with LAMBDA; or empty. */
type Multiples<F> = readonly (readonly Jacobian<F>[])[]

/** @see Secp256k1.recoverPublicKey */
export type RecoverPublicKey = (hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1) => Uint8Array | undefined

export function createRecovery<F>(fields: FieldPair<F, unknown>): RecoverPublicKey {
  const { fp } = fields
  const scalars = primeField(SECP256K1_ORDER)
  const curve = new Curve(fp, fp.of(7n))
  const generator = { x: fp.of(GENERATOR_X), y: fp.of(GENERATOR_Y) }
  const beta = fp.of(BETA)
  /** Odd multiples of the generator and of its product with LAMBDA. */
  let multiples: Multiples<F> | undefined

  function multiplesOfGenerator(): Multiples<F> {
    const ofPoint = curve.oddMultiples(generator, GENERATOR_MULTIPLES)
    return [ofPoint, ofPoint.map(({ x, y, z }) => ({ x: fp.mul(x, beta), y, z }))]
  }

  /** (s R - e G) / r for the point R whose x is r. */
  function recover(r: bigint, s: bigint, e: bigint, yParity: 0 | 1): Uint8Array | undefined {
    const x = fp.of(r)
    const root = squareRoot(fp, curve.rightSide(x))
    if (root === undefined) return undefined
    const y = Number(fp.valueOf(root) & 1n) === yParity ? root : fp.neg(root)
    const inverse = scalars.inv(r)
    const key = curve.toAffine(
      curve.sum([
        ...split(generator, scalars.neg(scalars.mul(e, inverse)), multiples),
        ...split({ x, y }, scalars.mul(s, inverse)),
      ]),
    )
    return key && concatBytes(bigIntToBytesPadded(fp.valueOf(key.x), 32), bigIntToBytesPadded(fp.valueOf(key.y), 32))
  }

  /** Splits a product into two whose scalars have half the length. */
  function split(point: Affine<F>, scalar: bigint, [own, image]: Multiples<F> = []): Term<F>[] {
    const c1 = (A1 * scalar) / SECP256K1_ORDER
    const c2 = (-B1 * scalar) / SECP256K1_ORDER
    const terms = [
      { point, scalar: scalar - c1 * A1 - c2 * A2 },
      { point: { x: fp.mul(point.x, beta), y: point.y }, scalar: -c1 * B1 - c2 * A1 },
    ] as const
    return own && image
      ? [
          { ...terms[0], multiples: own },
          { ...terms[1], multiples: image },
        ]
      : [...terms]
  }

  return (hash, signature, yParity) => {
    const r = bytesToBigInt(signature.subarray(0, 32))
    const s = bytesToBigInt(signature.subarray(32, 64))
    multiples ??= multiplesOfGenerator()
    if (r === 0n || r >= SECP256K1_ORDER || s === 0n || s >= SECP256K1_ORDER) return undefined
    return inScope(fields, () => recover(r, s, bytesToBigInt(hash) % SECP256K1_ORDER, yParity))
  }
}
