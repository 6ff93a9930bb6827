/**
 * The simplified Shallue-van de Woestijne-Ulas map from field elements to a curve with a suitable isogeny.
 * @see RFC 9380, sections 6.6.2, 6.6.3 and F.2
 * @module
 */
import type { Jacobian } from '../../base/primitives/curves/curve.ts'
import type { Field } from '../../base/primitives/curves/field.ts'
import type { RootOfRatio } from '../../base/primitives/curves/squareRoots.ts'
import type { IsogenyPolynomials } from './isogenies.ts'

export interface MapParameters<T> {
  readonly field: Field<T>
  /** The curve before the isogeny: y² = x³ + a x + b. */
  readonly a: T
  readonly b: T
  readonly z: T
  readonly isogeny: IsogenyPolynomials<T>
  /** Multiplies a non-square by z. */
  rootOfRatio(numerator: T, denominator: T): RootOfRatio<T>
  /** The sign as defined in section 4.1. */
  isOdd(value: T): boolean
}

/** A point of the curve after the isogeny, of any order. */
export function mapToCurve<T>(parameters: MapParameters<T>, u: T): Jacobian<T> {
  const { field, a, b, z, rootOfRatio, isOdd } = parameters
  const first = field.mul(z, field.sqr(u))
  const sum = field.add(field.sqr(first), first)
  const numerator = field.mul(b, field.add(sum, field.one))
  const denominator = field.mul(a, field.isZero(sum) ? z : field.neg(sum))
  const square = field.sqr(denominator)
  const cube = field.mul(square, denominator)
  const linear = field.mul(field.add(field.sqr(numerator), field.mul(a, square)), numerator)
  const { isSquare, root } = rootOfRatio(field.add(linear, field.mul(b, cube)), cube)
  const x = isSquare ? numerator : field.mul(first, numerator)
  const y = isSquare ? root : field.mul(field.mul(first, u), root)
  return image(parameters, x, denominator, isOdd(u) === isOdd(y) ? y : field.neg(y))
}

/** The isogeny of (numerator / denominator, y), without an inversion. */
function image<T>({ field, isogeny }: MapParameters<T>, numerator: T, denominator: T, y: T): Jacobian<T> {
  const powers = [field.one]
  for (let i = 1; i < isogeny.yNum.length; i++) powers.push(field.mul(powers[i - 1] as T, denominator))
  const at = (polynomial: readonly T[]): T => {
    const degree = polynomial.length - 1
    let value = polynomial[degree] as T
    for (let i = degree - 1; i >= 0; i--) {
      value = field.add(field.mul(value, numerator), field.mul(polynomial[i] as T, powers[degree - i] as T))
    }
    return value
  }
  // The degrees of the numerator and the denominator of x differ by one; those of y are equal.
  const xDen = field.mul(at(isogeny.xDen), denominator)
  const yDen = at(isogeny.yDen)
  const z = field.mul(xDen, yDen)
  const zz = field.sqr(z)
  return {
    x: field.mul(at(isogeny.xNum), field.mul(z, yDen)),
    y: field.mul(field.mul(y, at(isogeny.yNum)), field.mul(zz, xDen)),
    z,
  }
}
