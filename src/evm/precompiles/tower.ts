/**
 * The field of degree 12 as a tower: Fp6 over Fp2 by v³ = ξ, Fp12 over Fp6 by w² = v, with ξ = n + i.
 * @see Granger and Scott (2010), Faster squaring in the cyclotomic subgroup of sixth degree extensions
 * @module
 */
import { signedDigits } from '../../base/primitives/curves/digits.ts'
import { type FieldPair, power, type QuadraticField } from '../../base/primitives/curves/field.ts'

type Fp6<T> = readonly [T, T, T]
/** The coefficients of 1, v, v², w, v w, v² w. */
export type Fp12<T> = readonly [T, T, T, T, T, T]

const WINDOW = 4

export class Tower<F, T> {
  readonly one: Fp12<T>
  readonly #fields: FieldPair<F, T>
  readonly #sixth: Sixth<T>
  readonly #formulas: TowerFormulas<T>
  /** ξ^(i (p - 1) / 6) for i from 0 to 5. */
  readonly frobenius: readonly T[]

  constructor(fields: FieldPair<F, T>, n: bigint) {
    const { fp, fp2 } = fields
    this.#fields = fields
    this.#sixth = sixthOver(fp2, Number(n))
    this.#formulas = fields.compile((compiled) => towerFormulas(compiled.fp2, Number(n)), FORMULA_LENGTHS)
    const first = power(fp2, fp2.of({ c0: n, c1: 1n }), (fp.modulus - 1n) / 6n)
    const powers = [fp2.one]
    for (let i = 1; i < 6; i++) powers.push(fp2.mul(powers[i - 1] as T, first))
    this.frobenius = powers
    const { zero, one } = fp2
    this.one = [one, zero, zero, zero, zero, zero]
  }

  isOne(a: Fp12<T>): boolean {
    const { fp2 } = this.#fields
    return a.every((part, i) => fp2.equal(part, this.one[i] as T))
  }

  mul(a: Fp12<T>, b: Fp12<T>): Fp12<T> {
    return this.#formulas.mul(a, b)
  }

  sqr(a: Fp12<T>): Fp12<T> {
    return this.#formulas.sqr(a)
  }

  /** The power p⁶; in the cyclotomic subgroup this is the inverse. */
  conjugate(a: Fp12<T>): Fp12<T> {
    const { fp2 } = this.#fields
    return [a[0], a[1], a[2], fp2.neg(a[3]), fp2.neg(a[4]), fp2.neg(a[5])]
  }

  /** The power p. */
  powerOfP(a: Fp12<T>): Fp12<T> {
    const { fp2 } = this.#fields
    const image = (part: T, i: number): T => fp2.mul(fp2.conjugate(part), this.frobenius[i] as T)
    return [fp2.conjugate(a[0]), image(a[1], 2), image(a[2], 4), image(a[3], 1), image(a[4], 3), image(a[5], 5)]
  }

  inv(a: Fp12<T>): Fp12<T> {
    const { mul6, sub6, timesV } = this.#sixth
    const [a0, a1] = halves(a)
    const norm = this.#inv6(sub6(mul6(a0, a0), timesV(mul6(a1, a1))))
    return this.conjugate([...mul6(a0, norm), ...mul6(a1, norm)])
  }

  /** The square of an element of the cyclotomic subgroup. */
  cyclotomicSqr(a: Fp12<T>): Fp12<T> {
    return this.#formulas.cyclotomicSqr(a)
  }

  /** A power of an element of the cyclotomic subgroup. */
  cyclotomicPower(a: Fp12<T>, exponent: bigint): Fp12<T> {
    const { fp2 } = this.#fields
    const odd = [a]
    const square = this.cyclotomicSqr(a)
    for (let i = 1; i < 1 << (WINDOW - 2); i++) odd.push(this.mul(odd[i - 1] as Fp12<T>, square))
    const digits = signedDigits(exponent, WINDOW)
    let result = this.one
    const mark = fp2.mark()
    for (let i = digits.length - 1; i >= 0; i--) {
      result = this.cyclotomicSqr(result)
      const digit = digits[i] as number
      if (digit !== 0) {
        const factor = odd[Math.abs(digit) >> 1] as Fp12<T>
        result = this.mul(result, digit > 0 ? factor : this.conjugate(factor))
      }
      result = fp2.keep(mark, result)
    }
    return result
  }

  #inv6([a, b, c]: Fp6<T>): Fp6<T> {
    const { fp2 } = this.#fields
    const t0 = fp2.sub(fp2.sqr(a), this.#sixth.timesXi(fp2.mul(b, c)))
    const t1 = fp2.sub(this.#sixth.timesXi(fp2.sqr(c)), fp2.mul(a, b))
    const t2 = fp2.sub(fp2.sqr(b), fp2.mul(a, c))
    const crossed = this.#sixth.timesXi(fp2.add(fp2.mul(c, t1), fp2.mul(b, t2)))
    const norm = fp2.inv(fp2.add(fp2.mul(a, t0), crossed))
    return [fp2.mul(t0, norm), fp2.mul(t1, norm), fp2.mul(t2, norm)]
  }
}

/** The field of degree 6, and ξ. */
interface Sixth<T> {
  /** ξ · a */
  timesXi(a: T): T
  timesV(a: Fp6<T>): Fp6<T>
  add6(a: Fp6<T>, b: Fp6<T>): Fp6<T>
  sub6(a: Fp6<T>, b: Fp6<T>): Fp6<T>
  mul6(a: Fp6<T>, b: Fp6<T>): Fp6<T>
  /** a · (b0 + b1 v) */
  mulBy01(a: Fp6<T>, b0: T, b1: T): Fp6<T>
  /** a · b1 v */
  mulBy1(a: Fp6<T>, b1: T): Fp6<T>
}

function sixthOver<F, T>(fp2: QuadraticField<F, T>, n: number): Sixth<T> {
  const timesXi = (a: T): T => {
    if (n === 1) return fp2.addRotated(a, a)
    let multiple = a
    for (let bit = 31 - Math.clz32(n) - 1; bit >= 0; bit--) {
      multiple = fp2.add(multiple, multiple)
      if ((n >> bit) & 1) multiple = fp2.add(multiple, a)
    }
    return fp2.addRotated(multiple, a)
  }
  return {
    timesXi,
    timesV: ([a, b, c]) => [timesXi(c), a, b],
    add6: (a, b) => [fp2.add(a[0], b[0]), fp2.add(a[1], b[1]), fp2.add(a[2], b[2])],
    sub6: (a, b) => [fp2.sub(a[0], b[0]), fp2.sub(a[1], b[1]), fp2.sub(a[2], b[2])],
    mul6(a, b) {
      const t0 = fp2.mul(a[0], b[0])
      const t1 = fp2.mul(a[1], b[1])
      const t2 = fp2.mul(a[2], b[2])
      const cross = (i: 0 | 1, j: 1 | 2, ti: T, tj: T): T =>
        fp2.sub(fp2.sub(fp2.mul(fp2.add(a[i], a[j]), fp2.add(b[i], b[j])), ti), tj)
      return [
        fp2.add(t0, timesXi(cross(1, 2, t1, t2))),
        fp2.add(cross(0, 1, t0, t1), timesXi(t2)),
        fp2.add(cross(0, 2, t0, t2), t1),
      ]
    },
    mulBy01(a, b0, b1) {
      const t0 = fp2.mul(a[0], b0)
      const t1 = fp2.mul(a[1], b1)
      const crossed = fp2.mul(fp2.add(a[0], a[1]), fp2.add(b0, b1))
      return [
        fp2.add(t0, timesXi(fp2.mul(a[2], b1))),
        fp2.sub(fp2.sub(crossed, t0), t1),
        fp2.add(fp2.mul(a[2], b0), t1),
      ]
    },
    mulBy1: (a, b1) => [timesXi(fp2.mul(a[2], b1)), fp2.mul(a[0], b1), fp2.mul(a[1], b1)],
  }
}

interface TowerFormulas<T> {
  mul(a: Fp12<T>, b: Fp12<T>): Fp12<T>
  sqr(a: Fp12<T>): Fp12<T>
  cyclotomicSqr(a: Fp12<T>): Fp12<T>
  readonly [name: string]: (...args: never[]) => readonly T[]
}

const FORMULA_LENGTHS = { mul: [6, 6], sqr: [6], cyclotomicSqr: [6] }

function towerFormulas<F, T>(fp2: QuadraticField<F, T>, n: number): TowerFormulas<T> {
  const sixth = sixthOver(fp2, n)
  const { timesXi, timesV, add6, sub6, mul6 } = sixth
  /** (a + b w')² = first + second w' in the field of degree 4, w'² = ξ. */
  const sqr4 = (a: T, b: T): [T, T] => {
    const aa = fp2.sqr(a)
    const bb = fp2.sqr(b)
    return [fp2.add(timesXi(bb), aa), fp2.sub(fp2.sub(fp2.sqr(fp2.add(a, b)), aa), bb)]
  }
  return {
    mul(a, b) {
      const [a0, a1] = halves(a)
      const [b0, b1] = halves(b)
      return joined(sixth, mul6(a0, b0), mul6(a1, b1), mul6(add6(a0, a1), add6(b0, b1)))
    },
    sqr(a) {
      const [a0, a1] = halves(a)
      const product = mul6(a0, a1)
      const both = mul6(add6(a0, a1), add6(a0, timesV(a1)))
      const real = sub6(sub6(both, product), timesV(product))
      return [...real, ...add6(product, product)]
    },
    cyclotomicSqr([a0, a1, a2, a3, a4, a5]) {
      const [t0, t1] = sqr4(a0, a4)
      const [t2, t3] = sqr4(a3, a2)
      const [t4, t5] = sqr4(a1, a5)
      const less = (t: T, a: T): T => {
        const difference = fp2.sub(t, a)
        return fp2.add(fp2.add(difference, difference), t)
      }
      const more = (t: T, a: T): T => {
        const sum = fp2.add(t, a)
        return fp2.add(fp2.add(sum, sum), t)
      }
      return [less(t0, a0), less(t2, a1), less(t4, a2), more(timesXi(t5), a3), more(t1, a4), more(t3, a5)]
    },
  }
}

/** a · (b0 + b1 v + c w v); without c, it is 1. */
export function mulBy014<F, T>(fp2: QuadraticField<F, T>, n: number, a: Fp12<T>, b0: T, b1: T, c?: T): Fp12<T> {
  const sixth = sixthOver(fp2, n)
  const [a0, a1] = halves(a)
  const crossed = sixth.mulBy01(sixth.add6(a0, a1), b0, fp2.add(b1, c ?? fp2.one))
  const high = c === undefined ? sixth.timesV(a1) : sixth.mulBy1(a1, c)
  return joined(sixth, sixth.mulBy01(a0, b0, b1), high, crossed)
}

/** a · (b + c0 w + c1 w v) */
export function mulBy034<F, T>(fp2: QuadraticField<F, T>, n: number, a: Fp12<T>, b: T, c0: T, c1: T): Fp12<T> {
  const sixth = sixthOver(fp2, n)
  const [a0, a1] = halves(a)
  const low: Fp6<T> = [fp2.mul(a0[0], b), fp2.mul(a0[1], b), fp2.mul(a0[2], b)]
  const crossed = sixth.mulBy01(sixth.add6(a0, a1), fp2.add(b, c0), c1)
  return joined(sixth, low, sixth.mulBy01(a1, c0, c1), crossed)
}

/** Karatsuba multiplication: combines the products of the halves with the product of their sums. */
function joined<T>({ add6, sub6, timesV }: Sixth<T>, low: Fp6<T>, high: Fp6<T>, crossed: Fp6<T>): Fp12<T> {
  return [...add6(low, timesV(high)), ...sub6(sub6(crossed, low), high)]
}

function halves<T>(a: Fp12<T>): [Fp6<T>, Fp6<T>] {
  return [
    [a[0], a[1], a[2]],
    [a[3], a[4], a[5]],
  ]
}
