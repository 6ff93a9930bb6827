/**
 * Points of curves y² = x³ + a x + b, in Jacobian coordinates. Not constant time: all inputs are public.
 * @see Bernstein and Lange, Explicit-Formulas Database, shortw/jacobian-0 and shortw/jacobian
 * @module
 */
import { signedDigits } from './digits.ts'
import type { Field } from './field.ts'

/** Bits of a scalar digit. */
const WINDOW = 4

/** A point other than infinity. */
export interface Affine<T> {
  readonly x: T
  readonly y: T
}

/** (x / z², y / z³); infinity has z = 0. */
export interface Jacobian<T> {
  readonly x: T
  readonly y: T
  readonly z: T
}

/** One product of a sum; shorter scalars are faster. */
export interface Term<T> {
  readonly point: Affine<T>
  readonly scalar: bigint
  /** Odd multiples of a point that is used often: 1, 3, 5, ... times the point; their number is a power of two. */
  readonly multiples?: readonly Jacobian<T>[]
}

export class Curve<T> {
  readonly field: Field<T>
  readonly infinity: Jacobian<T>
  readonly #b: T
  /** Undefined stands for 0. */
  readonly #a: T | undefined
  readonly #formulas: CurveFormulas<T>

  constructor(field: Field<T>, b: T, a?: T) {
    this.field = field
    this.#b = b
    this.#a = a
    this.infinity = { x: field.one, y: field.one, z: field.zero }
    this.#formulas = field.compile((compiled) => curveFormulas(compiled, a), FORMULA_LENGTHS)
  }

  contains({ x, y }: Affine<T>): boolean {
    const { field } = this
    return field.equal(field.sqr(y), this.rightSide(x))
  }

  /** x³ + a x + b */
  rightSide(x: T): T {
    const { field } = this
    const square = field.sqr(x)
    return field.add(field.mul(this.#a === undefined ? square : field.add(square, this.#a), x), this.#b)
  }

  negate({ x, y }: Affine<T>): Affine<T> {
    return { x, y: this.field.neg(y) }
  }

  negateJacobian({ x, y, z }: Jacobian<T>): Jacobian<T> {
    return { x, y: this.field.neg(y), z }
  }

  toJacobian({ x, y }: Affine<T>): Jacobian<T> {
    return { x, y, z: this.field.one }
  }

  /** @returns undefined for infinity */
  toAffine({ x, y, z }: Jacobian<T>): Affine<T> | undefined {
    const { field } = this
    if (field.isZero(z)) return undefined
    const inverse = field.inv(z)
    const square = field.sqr(inverse)
    return { x: field.mul(x, square), y: field.mul(y, field.mul(square, inverse)) }
  }

  /** Whether both are the same point. */
  equal(a: Jacobian<T>, b: Affine<T>): boolean {
    const { field } = this
    if (field.isZero(a.z)) return false
    const square = field.sqr(a.z)
    return field.equal(a.x, field.mul(b.x, square)) && field.equal(a.y, field.mul(b.y, field.mul(square, a.z)))
  }

  /** The sum of two points with one inversion; undefined is infinity. */
  addAffine(a: Affine<T> | undefined, b: Affine<T> | undefined): Affine<T> | undefined {
    if (a === undefined) return b
    if (b === undefined) return a
    const { field } = this
    let rise = field.sub(b.y, a.y)
    let run = field.sub(b.x, a.x)
    if (field.isZero(run)) {
      if (!field.isZero(rise) || field.isZero(a.y)) return undefined
      const square = field.sqr(a.x)
      const tripled = field.add(field.add(square, square), square)
      rise = this.#a === undefined ? tripled : field.add(tripled, this.#a)
      run = field.add(a.y, a.y)
    }
    const slope = field.mul(rise, field.inv(run))
    const x = field.sub(field.sub(field.sqr(slope), a.x), b.x)
    return { x, y: field.sub(field.mul(slope, field.sub(a.x, x)), a.y) }
  }

  double({ x, y, z }: Jacobian<T>): Jacobian<T> {
    const [x2, y2, z2] = this.#formulas.double([x, y, z])
    return { x: x2, y: y2, z: z2 }
  }

  add(a: Jacobian<T>, b: Jacobian<T>): Jacobian<T> {
    const { field } = this
    if (field.isZero(a.z)) return b
    if (field.isZero(b.z)) return a
    const point = [a.x, a.y, a.z] as const
    if (b.z !== field.one) {
      const [h, r, ...first] = this.#formulas.differences(point, [b.x, b.y, b.z])
      return this.#sum(a, h, r, first)
    }
    const [h, r] = this.#formulas.differencesFromAffine(point, [b.x, b.y])
    return this.#sum(a, h, r, point)
  }

  #sum(a: Jacobian<T>, h: T, r: T, first: Coordinates<T>): Jacobian<T> {
    const { field } = this
    if (field.isZero(h)) return field.isZero(r) ? this.double(a) : this.infinity
    const [x, y, z] = this.#formulas.sum([h, r], first)
    return { x, y, z }
  }

  /** The sum of scalar · point over all terms. All terms share the doublings. */
  sum(terms: readonly Term<T>[]): Jacobian<T> {
    const used = terms.filter(({ scalar }) => scalar !== 0n)
    const tables = used.map(({ point, multiples }) => multiples ?? this.#oddMultiples(point, 2 ** (WINDOW - 2)))
    const digits = used.map(({ scalar }, i) => signedDigits(scalar, windowOf(tables[i] as readonly unknown[])))
    const length = digits.reduce((longest, { length }) => Math.max(longest, length), 0)
    let sum = this.infinity
    const mark = this.field.mark()
    for (let i = length - 1; i >= 0; i--) {
      sum = this.double(sum)
      for (let j = 0; j < digits.length; j++) {
        const digit = digits[j]?.[i] ?? 0
        if (digit === 0) continue
        const multiple = tables[j]?.[Math.abs(digit) >> 1] as Jacobian<T>
        sum = this.add(sum, digit > 0 ? multiple : { ...multiple, y: this.field.neg(multiple.y) })
      }
      sum = this.keep(mark, sum)
    }
    return sum
  }

  /** The product with a positive scalar that has few bits set. */
  timesSparse(point: Jacobian<T>, scalar: bigint): Jacobian<T> {
    const mark = this.field.mark()
    let result = point
    for (const bit of scalar.toString(2).slice(1)) {
      result = this.double(result)
      if (bit === '1') result = this.add(result, point)
      result = this.keep(mark, result)
    }
    return result
  }

  /** @see Field.keep */
  keep(mark: number, { x, y, z }: Jacobian<T>): Jacobian<T> {
    const kept = this.field.keep(mark, [x, y, z] as const)
    return { x: kept[0], y: kept[1], z: kept[2] }
  }

  /** Multiples by 1, 3, 5, ... that are fast to add. */
  oddMultiples(point: Affine<T>, count: number): Jacobian<T>[] {
    return this.#oddMultiples(point, count).map((multiple) => this.toJacobian(this.toAffine(multiple) as Affine<T>))
  }

  #oddMultiples(point: Affine<T>, count: number): Jacobian<T>[] {
    const multiples = [this.toJacobian(point)]
    const two = this.double(multiples[0] as Jacobian<T>)
    for (let i = 1; i < count; i++) multiples.push(this.add(two, multiples[i - 1] as Jacobian<T>))
    return multiples
  }
}

/** Bits of a digit for a table of the given multiples. */
function windowOf(multiples: readonly unknown[]): number {
  return 33 - Math.clz32(multiples.length)
}

type Coordinates<T> = readonly [x: T, y: T, z: T]

interface CurveFormulas<T> {
  double(point: Coordinates<T>): Coordinates<T>
  /**
   * The differences h and r of the x and y of two points over a common denominator, then x and y of the first point
   * over it, and the denominator's root.
   */
  differences(a: Coordinates<T>, b: Coordinates<T>): readonly [h: T, r: T, x: T, y: T, z: T]
  /** h and r where the second point is affine; the common denominator is that of the first. */
  differencesFromAffine(a: Coordinates<T>, b: readonly [x: T, y: T]): readonly [h: T, r: T]
  /** The sum of the points with these differences; h is not zero. */
  sum(differences: readonly [h: T, r: T], first: Coordinates<T>): Coordinates<T>
  readonly [name: string]: (...args: never[]) => readonly T[]
}

const FORMULA_LENGTHS = {
  double: [3],
  differences: [3, 3],
  differencesFromAffine: [3, 2],
  sum: [2, 3],
}

function curveFormulas<T>(field: Field<T>, a: T | undefined): CurveFormulas<T> {
  return {
    double([x, y, z]) {
      const xx = field.sqr(x)
      const b = field.sqr(y)
      const c = field.sqr(b)
      const half = field.sub(field.sub(field.sqr(field.add(x, b)), xx), c)
      const d = field.add(half, half)
      const tripled = field.add(field.add(xx, xx), xx)
      const e = a === undefined ? tripled : field.add(tripled, field.mul(a, field.sqr(field.sqr(z))))
      const x3 = field.sub(field.sqr(e), field.add(d, d))
      const c2 = field.add(c, c)
      const c4 = field.add(c2, c2)
      const yz = field.mul(y, z)
      return [x3, field.sub(field.mul(e, field.sub(d, x3)), field.add(c4, c4)), field.add(yz, yz)]
    },
    differences([x1, y1, z1], [x2, y2, z2]) {
      const zz1 = field.sqr(z1)
      const zz2 = field.sqr(z2)
      const u1 = field.mul(x1, zz2)
      const s1 = field.mul(y1, field.mul(zz2, z2))
      const h = field.sub(field.mul(x2, zz1), u1)
      const r = field.sub(field.mul(y2, field.mul(zz1, z1)), s1)
      return [h, r, u1, s1, field.mul(z1, z2)]
    },
    differencesFromAffine([x1, y1, z1], [x2, y2]) {
      const zz1 = field.sqr(z1)
      return [field.sub(field.mul(x2, zz1), x1), field.sub(field.mul(y2, field.mul(zz1, z1)), y1)]
    },
    sum([h, r], [x1, y1, z1]) {
      const hh = field.sqr(h)
      const hhh = field.mul(hh, h)
      const v = field.mul(x1, hh)
      const x = field.sub(field.sub(field.sqr(r), hhh), field.add(v, v))
      return [x, field.sub(field.mul(r, field.sub(v, x)), field.mul(y1, hhh)), field.mul(z1, h)]
    },
  }
}
