/**
 * Square roots in prime fields whose modulus is 3 modulo 4, and in their quadratic extensions by i² = -1.
 * @see Adj and Rodríguez-Henríquez (2012), Square root computation over even extension fields
 * @module
 */
import { type FieldPair, type PrimeField, power } from './field.ts'

export interface RootOfRatio<T> {
  readonly isSquare: boolean
  /** A root of the ratio when it is a square; otherwise a root of the ratio times a fixed non-square. */
  readonly root: T
}

/** A root, or undefined for a non-square. */
export function squareRoot<F>(fp: PrimeField<F>, value: F): F | undefined {
  const root = power(fp, value, (fp.modulus + 1n) / 4n)
  return fp.equal(fp.sqr(root), value) ? root : undefined
}

/** @param rootOfMinusZ a root of -z, where z is not a square */
export function rootOfRatio<F>(fp: PrimeField<F>, rootOfMinusZ: F, u: F, v: F): RootOfRatio<F> {
  const uv = fp.mul(u, v)
  const root = fp.mul(power(fp, fp.mul(fp.sqr(v), uv), (fp.modulus - 3n) / 4n), uv)
  const isSquare = fp.equal(fp.mul(fp.sqr(root), v), u)
  return { isSquare, root: isSquare ? root : fp.mul(root, rootOfMinusZ) }
}

/** @param z a non-square */
export function rootOfRatio2<F, T>(fields: FieldPair<F, T>, z: T, u: T, v: T): RootOfRatio<T> {
  const { fp2 } = fields
  const ratio = fp2.mul(u, fp2.inv(v))
  const root = squareRoot2(fields, ratio)
  if (root !== undefined) return { isSquare: true, root }
  return { isSquare: false, root: squareRoot2(fields, fp2.mul(ratio, z)) as T }
}

/** A root, or undefined for a non-square. */
function squareRoot2<F, T>({ fp, fp2 }: FieldPair<F, T>, value: T): T | undefined {
  const [c0, c1] = fp2.partsOf(value)
  const alpha = squareRoot(fp, fp.add(fp.sqr(c0), fp.sqr(c1)))
  if (alpha === undefined) return undefined
  const half = fp.of((fp.modulus + 1n) / 2n)
  const first = fp.mul(fp.add(c0, alpha), half)
  const delta = fp.isZero(first) ? c0 : first
  // gamma² · delta is 1 where delta is a square; else it is -1, and the other sign of alpha leads to the root.
  const gamma = power(fp, delta, (fp.modulus - 3n) / 4n)
  const product = fp.mul(delta, gamma)
  const halfOfC1 = fp.mul(fp.mul(c1, half), gamma)
  const isSquare = fp.equal(fp.sqr(product), delta)
  return isSquare ? fp2.fromParts(product, halfOfC1) : fp2.fromParts(halfOfC1, fp.neg(product))
}
