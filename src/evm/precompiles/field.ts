/**
 * Prime fields and their quadratic extensions by i² = -1, over BigInt. Not constant time: all inputs are public.
 * @module
 */
import { invert } from './invert.ts'

/** Elements are in canonical form, so that equal ones look the same. */
export interface Field<T> {
  readonly zero: T
  readonly one: T
  add(a: T, b: T): T
  sub(a: T, b: T): T
  neg(a: T): T
  mul(a: T, b: T): T
  sqr(a: T): T
  /** Of zero: zero. */
  inv(a: T): T
  isZero(a: T): boolean
  equal(a: T, b: T): boolean
}

/** An element c0 + c1 · i. */
export interface Fp2 {
  readonly c0: bigint
  readonly c1: bigint
}

export interface PrimeField extends Field<bigint> {
  readonly modulus: bigint
}

export function primeField(p: bigint): PrimeField {
  return {
    modulus: p,
    zero: 0n,
    one: 1n,
    add(a, b) {
      const sum = a + b
      return sum >= p ? sum - p : sum
    },
    sub(a, b) {
      const difference = a - b
      return difference < 0n ? difference + p : difference
    },
    neg: (a) => (a === 0n ? 0n : p - a),
    mul: (a, b) => (a * b) % p,
    sqr: (a) => (a * a) % p,
    inv: (a) => invert(a, p),
    isZero: (a) => a === 0n,
    equal: (a, b) => a === b,
  }
}

/** @param fp a field whose modulus is 3 modulo 4 */
export function quadraticField(fp: PrimeField): Field<Fp2> {
  const p = fp.modulus
  const positive = (value: bigint): bigint => {
    const rest = value % p
    return rest < 0n ? rest + p : rest
  }
  return {
    zero: { c0: 0n, c1: 0n },
    one: { c0: 1n, c1: 0n },
    add: (a, b) => ({ c0: fp.add(a.c0, b.c0), c1: fp.add(a.c1, b.c1) }),
    sub: (a, b) => ({ c0: fp.sub(a.c0, b.c0), c1: fp.sub(a.c1, b.c1) }),
    neg: (a) => ({ c0: fp.neg(a.c0), c1: fp.neg(a.c1) }),
    mul(a, b) {
      const t0 = a.c0 * b.c0
      const t1 = a.c1 * b.c1
      return { c0: positive(t0 - t1), c1: ((a.c0 + a.c1) * (b.c0 + b.c1) - t0 - t1) % p }
    },
    sqr: (a) => ({ c0: positive((a.c0 + a.c1) * (a.c0 - a.c1)), c1: (2n * a.c0 * a.c1) % p }),
    inv(a) {
      const norm = fp.inv((a.c0 * a.c0 + a.c1 * a.c1) % p)
      return { c0: (a.c0 * norm) % p, c1: fp.neg((a.c1 * norm) % p) }
    },
    isZero: (a) => a.c0 === 0n && a.c1 === 0n,
    equal: (a, b) => a.c0 === b.c0 && a.c1 === b.c1,
  }
}

/** @param exponent not negative */
export function power<T>(field: Field<T>, base: T, exponent: bigint): T {
  let result = field.one
  for (const bit of exponent.toString(2)) {
    result = field.sqr(result)
    if (bit === '1') result = field.mul(result, base)
  }
  return result
}
