/**
 * Prime fields and their quadratic extensions by i² = -1, over BigInt. Not constant time: all inputs are public.
 * @module
 */
import { invert } from './invert.ts'

/**
 * Functions of elements that do not look at values: they call the field only to add, subtract, negate, multiply, square,
 * conjugate and scale. Arguments are lists of elements. The results are new elements, all of the same field.
 */
export type Formulas = Readonly<Record<string, (...args: never[]) => readonly unknown[]>>
/** The number of elements in each argument. */
export type Lengths<O extends Formulas> = Readonly<Record<keyof O, readonly number[]>>

/**
 * Elements are in canonical form, so equal elements have equal representations. Some fields keep their elements in
 * memory that is reused: `keep` frees all elements created since `mark`.
 */
export interface Field<T> {
  readonly zero: T
  readonly one: T
  add(a: T, b: T): T
  sub(a: T, b: T): T
  neg(a: T): T
  mul(a: T, b: T): T
  sqr(a: T): T
  /** The inverse; zero for zero. */
  inv(a: T): T
  isZero(a: T): boolean
  equal(a: T, b: T): boolean
  mark(): number
  /** Frees all elements created since the mark and returns copies of the given ones. */
  keep<E extends readonly T[]>(mark: number, elements: E): E
  /** Formulas over this field, compiled if the host can. */
  compile<O extends Formulas>(create: (field: Field<T>) => O, lengths: Lengths<O>): O
}

export interface PrimeField<T = bigint> extends Field<T> {
  readonly modulus: bigint
  /** @param value below the modulus */
  of(value: bigint): T
  valueOf(a: T): bigint
}

/** An element c0 + c1 · i. */
export interface Fp2 {
  readonly c0: bigint
  readonly c1: bigint
}

export interface QuadraticField<F, T> extends Field<T> {
  of(value: Fp2): T
  valueOf(a: T): Fp2
  fromParts(c0: F, c1: F): T
  partsOf(a: T): [c0: F, c1: F]
  conjugate(a: T): T
  /** a + i · b */
  addRotated(a: T, b: T): T
  /** The product with an element of the prime field. */
  scale(a: T, factor: F): T
}

/** A prime field and its extension. */
export interface FieldPair<F, T> {
  readonly fp: PrimeField<F>
  readonly fp2: QuadraticField<F, T>
  /** Formulas over both fields, compiled if the host can. */
  compile<O extends Formulas>(create: (fields: FieldPair<F, T>) => O, lengths: Lengths<O>): O
}

/** For elements that the garbage collector frees. */
const COLLECTED = {
  mark: () => 0,
  keep: <E>(_mark: number, elements: E): E => elements,
}

export function primeField(p: bigint): PrimeField {
  const field: PrimeField = {
    ...COLLECTED,
    modulus: p,
    of: (value) => value,
    valueOf: (a) => a,
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
    compile: (create) => create(field),
  }
  return field
}

/** @param fp a field whose modulus is 3 modulo 4 */
export function quadraticField(fp: PrimeField): QuadraticField<bigint, Fp2> {
  const p = fp.modulus
  const positive = (value: bigint): bigint => {
    const rest = value % p
    return rest < 0n ? rest + p : rest
  }
  const field: QuadraticField<bigint, Fp2> = {
    ...COLLECTED,
    of: (value) => value,
    valueOf: (a) => a,
    fromParts: (c0, c1) => ({ c0, c1 }),
    partsOf: ({ c0, c1 }) => [c0, c1],
    conjugate: ({ c0, c1 }) => ({ c0, c1: fp.neg(c1) }),
    addRotated: (a, b) => ({ c0: fp.sub(a.c0, b.c1), c1: fp.add(a.c1, b.c0) }),
    scale: (a, factor) => ({ c0: fp.mul(a.c0, factor), c1: fp.mul(a.c1, factor) }),
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
    compile: (create) => create(field),
  }
  return field
}

/** @param exponent non-negative */
export function power<T>(field: Field<T>, base: T, exponent: bigint): T {
  const powers: T[] = [field.one, base]
  for (let i = 2; i < 16; i++) powers.push(field.mul(powers[i - 1] as T, base))
  let result = field.one
  const mark = field.mark()
  for (const digit of exponent.toString(16)) {
    for (let i = 0; i < 4; i++) result = field.sqr(result)
    if (digit !== '0') result = field.mul(result, powers[Number.parseInt(digit, 16)] as T)
    ;[result] = field.keep(mark, [result] as const)
  }
  return result
}

/** Runs work and then frees all elements it created. */
export function inScope<R>({ fp }: FieldPair<unknown, unknown>, work: () => R): R {
  const mark = fp.mark()
  try {
    return work()
  } finally {
    fp.keep(mark, [])
  }
}

/** A field and its extension over BigInt. */
export function portableFields(p: bigint): FieldPair<bigint, Fp2> {
  const fp = primeField(p)
  const fields: FieldPair<bigint, Fp2> = { fp, fp2: quadraticField(fp), compile: (create) => create(fields) }
  return fields
}
