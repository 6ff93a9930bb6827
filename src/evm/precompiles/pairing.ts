/**
 * Compares products of pairings over curves with a sextic twist with 1.
 *
 * Lines are computed up to factors in Fp4, which the final exponentiation eliminates; results are computed up to a
 * power that does not affect the comparison.
 * @see Beuchat et al. (2010), High-speed software implementation of the optimal ate pairing over Barreto-Naehrig curves
 * @module
 */
import type { Affine } from '../../base/primitives/curves/curve.ts'
import { signedDigits } from '../../base/primitives/curves/digits.ts'
import { type FieldPair, type Fp2, inScope } from '../../base/primitives/curves/field.ts'
import { type Fp12, mulBy014, mulBy034, Tower } from './tower.ts'

/** A line through points of the twist: a + b x + c y, for x and y of the other point. */
type Line<T> = readonly [a: T, b: T, c: T]

export interface PairingCurve {
  /** The real part of ξ = n + i. */
  readonly n: bigint
  /** Whether the twist's b is the curve's b times ξ; otherwise it is divided by ξ. */
  readonly isTwistedByProduct: boolean
  /** The absolute value of the Miller loop parameter. */
  readonly loop: bigint
  /** Whether the loop ends with lines through Frobenius images of the point. */
  readonly hasFrobeniusLines: boolean
  /** The power (p⁴ - p² + 1) / order, or a multiple of it, in the cyclotomic subgroup. */
  hardPart<F, T>(tower: Tower<F, T>, f: Fp12<T>): Fp12<T>
}

/** A point of the twist, represented by the lines of the Miller loop. */
export type PreparedPoint<T> = readonly Line<T>[]

/** Pairs of one step: some milliseconds of work, in memory that does not depend on the number of pairs. */
const PAIRS_PER_STEP = 8

/** A point of G1 and a point of G2. */
export type Pair<F, T> = readonly [point: Affine<F>, lines: PreparedPoint<T>]

export class Pairing<F, T> {
  readonly tower: Tower<F, T>
  readonly #fields: FieldPair<F, T>
  readonly #curve: PairingCurve
  readonly #formulas: LineFormulas<F, T>
  /** The loop's digits, most significant first, without the leading one. */
  readonly #digits: readonly number[]

  constructor(fields: FieldPair<F, T>, curve: PairingCurve) {
    this.tower = new Tower(fields, curve.n)
    this.#fields = fields
    this.#curve = curve
    this.#formulas = fields.compile((compiled) => lineFormulas(compiled, curve), FORMULA_LENGTHS)
    const digits = [...signedDigits(curve.loop, 2)].reverse()
    this.#digits = digits.slice(digits.indexOf(1) + 1)
  }

  /** @param point a member of G2 */
  prepare(point: Affine<T>): PreparedPoint<T> {
    const { fp2 } = this.#fields
    const { double, add } = this.#formulas
    const negatedY = fp2.neg(point.y)
    const lines: Line<T>[] = []
    let [x, y, z] = [point.x, point.y, fp2.one]
    const take = (step: () => LineStep<T>): void => {
      const mark = fp2.mark()
      const [a, b, c, ...next] = fp2.keep(mark, step())
      ;[x, y, z] = next
      lines.push([a, b, c])
    }
    for (const digit of this.#digits) {
      take(() => double([x, y, z]))
      if (digit !== 0) take(() => add([x, y, z], [point.x, digit > 0 ? point.y : negatedY]))
    }
    if (this.#curve.hasFrobeniusLines) {
      const once = this.#imageOf(point)
      const twice = this.#imageOf(once)
      take(() => add([x, y, z], [once.x, once.y]))
      take(() => add([x, y, z], [twice.x, fp2.neg(twice.y)]))
    }
    return lines
  }

  /**
   * Like {@link prepare}, for a point that is used often: `millerOfFixed` is faster. Only on curves whose twist is by a
   * product.
   */
  prepareFixed(point: Affine<T>): PreparedPoint<T> {
    const { fp2 } = this.#fields
    return this.prepare(point).map(([a, b, c]) => {
      const inverse = fp2.inv(c)
      return [fp2.mul(a, inverse), fp2.mul(b, inverse), fp2.one]
    })
  }

  /** The Miller loop of pairs whose points of the twist are fixed. */
  millerOfFixed(pairs: readonly Pair<F, T>[]): Fp12<T> {
    const { fp } = this.#fields
    const scaled = pairs.map(([{ x, y }, lines]): Pair<F, T> => {
      const inverse = fp.inv(y)
      return [{ x: fp.mul(x, inverse), y: inverse }, lines]
    })
    return this.miller(scaled, this.#formulas.timesFixedLine)
  }

  /** The Miller loop of some pairs. The product of such factors is the factor of all pairs. */
  miller(pairs: readonly Pair<F, T>[], timesLine: TimesLine<F, T> = this.#formulas.timesLine): Fp12<T> {
    const { fp2 } = this.#fields
    let f = this.tower.one
    const mark = fp2.mark()
    let at = 0
    const next = (): void => {
      for (const [{ x, y }, lines] of pairs) f = timesLine(f, lines[at] as Line<T>, [x, y])
      at++
      f = fp2.keep(mark, f)
    }
    for (const digit of this.#digits) {
      f = this.tower.sqr(f)
      next()
      if (digit !== 0) next()
    }
    while (at < (pairs[0]?.[1].length ?? 0)) next()
    return f
  }

  /**
   * Whether the product of the pairings of all pairs is 1, in steps.
   * @param readPair undefined when one of the points is infinity
   * @returns undefined when a pair is invalid
   */
  *check(
    input: Uint8Array,
    pairBytes: number,
    readPair: (offset: number) => Pair<F, T> | undefined | 'invalid',
  ): Generator<undefined, boolean | undefined, undefined> {
    const stepBytes = PAIRS_PER_STEP * pairBytes
    // Between two steps, others use the memory of the fields.
    let product: readonly Fp2[] | undefined
    for (let start = 0; ; start += stepBytes) {
      const end = Math.min(input.length, start + stepBytes)
      const step = inScope(this.#fields, (): boolean | readonly Fp2[] | undefined => {
        const pairs: Pair<F, T>[] = []
        for (let offset = start; offset < end; offset += pairBytes) {
          const pair = readPair(offset)
          if (pair === 'invalid') return undefined
          if (pair !== undefined) pairs.push(pair)
        }
        const { fp2 } = this.#fields
        const own = this.miller(pairs)
        const factor = product === undefined ? own : this.tower.mul(own, product.map(fp2.of) as unknown as Fp12<T>)
        return end === input.length ? this.isOne(factor) : factor.map(fp2.valueOf)
      })
      if (typeof step !== 'object') return step
      product = step
      yield
    }
  }

  /** Whether the product of pairings with this factor is 1. */
  isOne(factor: Fp12<T>): boolean {
    const { tower } = this
    const unitary = tower.mul(tower.conjugate(factor), tower.inv(factor))
    const cyclotomic = tower.mul(tower.powerOfP(tower.powerOfP(unitary)), unitary)
    return tower.isOne(this.#curve.hardPart(tower, cyclotomic))
  }

  /** The Frobenius image of a point of the twist, in affine coordinates. */
  #imageOf({ x, y }: Affine<T>): Affine<T> {
    const { fp2 } = this.#fields
    return {
      x: fp2.mul(fp2.conjugate(x), this.tower.frobenius[2] as T),
      y: fp2.mul(fp2.conjugate(y), this.tower.frobenius[3] as T),
    }
  }
}

/** A line and the point at which its computation has arrived, in Jacobian coordinates. */
type LineStep<T> = readonly [a: T, b: T, c: T, x: T, y: T, z: T]

type TimesLine<F, T> = (f: Fp12<T>, line: Line<T>, point: readonly [x: F, y: F]) => Fp12<T>

interface LineFormulas<F, T> {
  /** The tangent at a point in Jacobian coordinates, and the doubled point. */
  double(point: readonly [x: T, y: T, z: T]): LineStep<T>
  /** The line through a point in Jacobian coordinates and another point, and their sum. */
  add(point: readonly [x: T, y: T, z: T], other: readonly [x: T, y: T]): LineStep<T>
  readonly timesLine: TimesLine<F, T>
  /** c is 1 and the point is (x / y, 1 / y). */
  readonly timesFixedLine: TimesLine<F, T>
  readonly [name: string]: (...args: never[]) => readonly T[]
}

const FORMULA_LENGTHS = { double: [3], add: [3, 2], timesLine: [6, 3, 2], timesFixedLine: [6, 3, 2] }

function lineFormulas<F, T>({ fp2 }: FieldPair<F, T>, curve: PairingCurve): LineFormulas<F, T> {
  const n = Number(curve.n)
  return {
    double([x, y, z]) {
      const a = fp2.sqr(x)
      const b = fp2.sqr(y)
      const c = fp2.sqr(b)
      const half = fp2.sub(fp2.sub(fp2.sqr(fp2.add(x, b)), a), c)
      const d = fp2.add(half, half)
      const e = fp2.add(fp2.add(a, a), a)
      const x3 = fp2.sub(fp2.sqr(e), fp2.add(d, d))
      const c2 = fp2.add(c, c)
      const c4 = fp2.add(c2, c2)
      const y3 = fp2.sub(fp2.mul(e, fp2.sub(d, x3)), fp2.add(c4, c4))
      const yz = fp2.mul(y, z)
      const z3 = fp2.add(yz, yz)
      const zz = fp2.sqr(z)
      const line = [fp2.sub(fp2.mul(e, x), fp2.add(b, b)), fp2.neg(fp2.mul(e, zz)), fp2.mul(z3, zz)] as const
      return [...line, x3, y3, z3]
    },
    add([x, y, z], [otherX, otherY]) {
      const zz = fp2.sqr(z)
      const h = fp2.sub(fp2.mul(otherX, zz), x)
      const r = fp2.sub(fp2.mul(otherY, fp2.mul(zz, z)), y)
      const hh = fp2.sqr(h)
      const hhh = fp2.mul(hh, h)
      const v = fp2.mul(x, hh)
      const x3 = fp2.sub(fp2.sub(fp2.sqr(r), hhh), fp2.add(v, v))
      const y3 = fp2.sub(fp2.mul(r, fp2.sub(v, x3)), fp2.mul(y, hhh))
      const z3 = fp2.mul(z, h)
      return [fp2.sub(fp2.mul(r, otherX), fp2.mul(z3, otherY)), fp2.neg(r), fp2.add(z3, fp2.zero), x3, y3, z3]
    },
    timesFixedLine: (f, [a, b], [x, y]) => mulBy014(fp2, n, f, fp2.scale(a, y), fp2.scale(b, x)),
    timesLine(f, [a, b, c], [x, y]) {
      const [bx, cy] = [fp2.scale(b, x), fp2.scale(c, y)]
      return curve.isTwistedByProduct ? mulBy014(fp2, n, f, a, bx, cy) : mulBy034(fp2, n, f, cy, bx, a)
    },
  }
}
