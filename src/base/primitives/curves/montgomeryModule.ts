/**
 * A WebAssembly module for arithmetic modulo one prime and in the quadratic extension by i² = -1.
 *
 * Elements are limbs of 30 bits in Montgomery form, below the prime. Sums of limb products leave spare bits in 64, so a
 * multiplication propagates carries once or twice instead of at every step. The code is unrolled for the prime.
 * @see Montgomery, Modular multiplication without trial division (1985); Koç, Acar and Kaliski (1996)
 * @module
 */
import { I32, I64, op, type WasmFunction, wasmModule } from './wasmBinary.ts'

export const LIMB_BITS = 30
const LIMB_MASK = 2 ** LIMB_BITS - 1
/**
 * Rows of products between two carry propagations. A row adds two products below 2^60 to a limb, so seven rows add less
 * than 14 · 2^60. A limb starts below 2^34 and receives one carry below 2^34: the total is less than 2^64.
 */
const ROWS_PER_CARRY = 7
/** A row of a square adds a product below 2^61 and one below 2^60 to a limb. */
const SQUARE_ROWS_PER_CARRY = 5

/** Arguments are addresses of elements. A target may equal an operand only where stated. */
export interface MontgomeryExports {
  readonly memory: WebAssembly.Memory
  /** The target may equal an operand; this holds for the whole base field. */
  add(target: number, a: number, b: number): void
  sub(target: number, a: number, b: number): void
  /** Factors may be sums of up to four elements that are not reduced. */
  mul(target: number, a: number, b: number): void
  equal(a: number, b: number): number
  /** The square of `a`; the last argument is not used. */
  sqr(target: number, a: number, unused: number): void
  /** The sum, which is not reduced: only a factor of a product. */
  addUnreduced(target: number, a: number, b: number): void
  /** The target must not overlap an operand; this holds for the whole extension. */
  add2(target: number, a: number, b: number): void
  sub2(target: number, a: number, b: number): void
  /** Factors may be sums of two elements that are not reduced. */
  mul2(target: number, a: number, b: number): void
  sqr2(target: number, a: number): void
  addUnreduced2(target: number, a: number, b: number): void
}

/** Limbs of a residue; two bits are left for sums. */
export function limbsOf(p: bigint): number {
  return Math.ceil((p.toString(2).length + 2) / LIMB_BITS)
}

/** Bytes of an element in memory. */
export function elementBytes(p: bigint): number {
  return 8 * Math.ceil(limbsOf(p) / 2)
}

/** The first four elements of memory are reserved for the module. */
export const SCRATCH_ELEMENTS = 4

const [TARGET, A, B] = [0, 1, 2]

export function montgomeryModule(p: bigint): Uint8Array<ArrayBuffer> {
  const count = limbsOf(p)
  const limbs = Array.from({ length: count }, (_, i) => Number((p >> BigInt(i * LIMB_BITS)) & BigInt(LIMB_MASK)))
  return wasmModule([
    sum(limbs),
    difference(limbs),
    product(limbs, false),
    equality(count),
    unreducedSum(count),
    product(limbs, true),
    ...extension(elementBytes(p)),
  ])
}

const indexes = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** Locals: three parameters, limbs of the sum, limbs of the sum less the prime, two carries. */
function sum(p: readonly number[]): WasmFunction {
  const n = p.length
  const [r, d, carry, borrow] = [3, 3 + n, 3 + 2 * n, 4 + 2 * n]
  const code = indexes(n).flatMap((j) => [
    ...[
      ...op.get(A),
      ...op.load32(4 * j),
      ...op.get(B),
      ...op.load32(4 * j),
      ...op.add32,
      ...op.get(carry),
      ...op.add32,
    ],
    ...[...op.tee(carry), ...op.i32(LIMB_MASK), ...op.and32, ...op.tee(r + j)],
    ...[...op.i32(p[j] as number), ...op.subtract32, ...op.get(borrow), ...op.add32, ...op.tee(borrow)],
    ...[...op.i32(LIMB_MASK), ...op.and32, ...op.set(d + j)],
    ...[...op.get(carry), ...op.i32(LIMB_BITS), ...op.shiftRight32, ...op.set(carry)],
    ...[...op.get(borrow), ...op.i32(LIMB_BITS), ...op.shiftRight32, ...op.set(borrow)],
  ])
  const stores = indexes(n).flatMap((j) => [
    ...[...op.get(TARGET), ...op.get(r + j), ...op.get(d + j), ...op.get(borrow), ...op.select, ...op.store32(4 * j)],
  ])
  return { name: 'add', parameters: 3, returns: false, locals: [[2 * n + 2, I32]], code: [...code, ...stores] }
}

/** Locals: three parameters, a carry. */
function unreducedSum(count: number): WasmFunction {
  const carry = 3
  const code = indexes(count).flatMap((j) => [
    ...op.get(TARGET),
    ...[...op.get(A), ...op.load32(4 * j), ...op.get(B), ...op.load32(4 * j), ...op.add32],
    ...(j === 0 ? [] : [...op.get(carry), ...op.add32]),
    ...(j === count - 1
      ? op.store32(4 * j)
      : [
          ...[...op.tee(carry), ...op.i32(LIMB_MASK), ...op.and32, ...op.store32(4 * j)],
          ...[...op.get(carry), ...op.i32(LIMB_BITS), ...op.shiftRight32, ...op.set(carry)],
        ]),
  ])
  return { name: 'addUnreduced', parameters: 3, returns: false, locals: [[1, I32]], code }
}

/** Locals: three parameters, limbs of the difference, a carry, the borrow. */
function difference(p: readonly number[]): WasmFunction {
  const n = p.length
  const [r, carry, borrow] = [3, 3 + n, 4 + n]
  const code = indexes(n).flatMap((j) => [
    ...[...op.get(A), ...op.load32(4 * j), ...op.get(B), ...op.load32(4 * j), ...op.subtract32],
    ...[...op.get(borrow), ...op.add32, ...op.tee(borrow), ...op.i32(LIMB_MASK), ...op.and32, ...op.set(r + j)],
    ...[...op.get(borrow), ...op.i32(LIMB_BITS), ...op.shiftRight32, ...op.set(borrow)],
  ])
  const stores = indexes(n).flatMap((j) => [
    ...[...op.get(r + j), ...op.i32(p[j] as number), ...op.get(borrow), ...op.and32, ...op.add32],
    ...[...op.get(carry), ...op.add32, ...op.set(carry)],
    ...[...op.get(TARGET), ...op.get(carry), ...op.i32(LIMB_MASK), ...op.and32, ...op.store32(4 * j)],
    ...[...op.get(carry), ...op.i32(LIMB_BITS), ...op.shiftRight32, ...op.set(carry)],
  ])
  return { name: 'sub', parameters: 3, returns: false, locals: [[n + 2, I32]], code: [...code, ...stores] }
}

/**
 * A product, or a square, which counts each product of two different limbs twice instead of computing it twice. Locals:
 * three parameters, limbs of `a`, of the running sum, one of `b`, the multiple of the prime, a carry.
 */
function product(p: readonly number[], isSquare: boolean): WasmFunction {
  const n = p.length
  const rowsPerCarry = isSquare ? SQUARE_ROWS_PER_CARRY : ROWS_PER_CARRY
  const [a, t, b, m, carry] = [3, 3 + n, 3 + 2 * n, 4 + 2 * n, 5 + 2 * n]
  const inverse = negatedInverse(p[0] as number)
  const times = (x: number, y: readonly number[]): number[] => [...op.get(x), ...y, ...op.multiply]
  /** Adds the products of row i that belong to limb j of the sum. */
  const addOfA = (i: number, j: number): number[] => {
    if (!isSquare || j > i) return [...times(a + j, op.get(b)), ...op.add]
    return j === i ? [...times(a + i, op.get(a + i)), ...op.add] : []
  }
  const carried = (j: number): number[] => [...op.get(t + j), ...op.i64(LIMB_BITS), ...op.shiftRightUnsigned]
  const masked = (j: number): number[] => [...op.get(t + j), ...op.i64(LIMB_MASK), ...op.and]
  const code = indexes(n).flatMap((j) => [...op.get(A), ...op.load32As64(4 * j), ...op.set(a + j)])
  const carry_ = (): number[] =>
    indexes(n - 1).flatMap((j) => [
      ...[...op.get(t + j + 1), ...carried(j), ...op.add, ...op.set(t + j + 1)],
      ...[...masked(j), ...op.set(t + j)],
    ])
  for (let i = 0; i < n; i++) {
    if (i > 0 && i % rowsPerCarry === 0) code.push(...carry_())
    code.push(
      ...(isSquare ? [...op.get(a + i), ...op.i64(2), ...op.multiply] : [...op.get(B), ...op.load32As64(4 * i)]),
      ...op.set(b),
      ...[...op.get(t), ...addOfA(i, 0), ...op.tee(carry)],
      ...[...op.i64(inverse), ...op.multiply, ...op.i64(LIMB_MASK), ...op.and, ...op.set(m)],
      ...[...op.get(carry), ...times(m, op.i64(p[0] as number)), ...op.add],
      ...[...op.i64(LIMB_BITS), ...op.shiftRightUnsigned, ...op.set(carry)],
    )
    for (let j = 1; j < n; j++) {
      code.push(
        ...[...op.get(t + j), ...addOfA(i, j), ...times(m, op.i64(p[j] as number)), ...op.add],
        ...(j === 1 ? [...op.get(carry), ...op.add] : []),
        ...op.set(t + j - 1),
      )
    }
    code.push(...op.i64(0), ...op.set(t + n - 1))
  }
  code.push(...carry_(), ...op.i64(0), ...op.set(carry))
  // Subtract the prime when the result is not below it. One subtraction suffices: for factors below four times the prime
  // p, the sum is below p + 16 p²/R, and R is at least 512 p.
  for (let j = 0; j < n; j++) {
    code.push(
      ...[...op.get(t + j), ...op.i64(p[j] as number), ...op.subtract, ...op.get(carry), ...op.add, ...op.tee(carry)],
      ...[...op.i64(LIMB_MASK), ...op.and, ...op.set(a + j)],
      ...[...op.get(carry), ...op.i64(LIMB_BITS), ...op.shiftRight, ...op.set(carry)],
    )
  }
  for (let j = 0; j < n; j++) {
    code.push(
      ...[...op.get(TARGET), ...op.get(a + j), ...op.get(t + j), ...op.get(carry), ...op.isZero64],
      ...[...op.select, ...op.store64As32(4 * j)],
    )
  }
  return { name: isSquare ? 'sqr' : 'mul', parameters: 3, returns: false, locals: [[2 * n + 3, I64]], code }
}

function equality(count: number): WasmFunction {
  const [a, b] = [0, 1]
  const unlike = indexes(count).flatMap((j) => [
    ...[...op.get(a), ...op.load32(4 * j), ...op.get(b), ...op.load32(4 * j), ...op.xor32],
    ...(j === 0 ? [] : op.or32),
  ])
  return { name: 'equal', parameters: 2, returns: true, locals: [], code: [...unlike, ...op.isZero] }
}

const [ADD, SUB, MUL, ADD_UNREDUCED] = [0, 1, 2, 4]

/** Karatsuba's product, and the square as (c0 + c1)(c0 - c1) + 2 c0 c1 i. */
function extension(bytes: number): WasmFunction[] {
  const at = (local: number, half: 0 | 1): number[] =>
    half === 0 ? op.get(local) : [...op.get(local), ...op.i32(bytes), ...op.add32]
  const scratch = (i: number): number[] => op.i32(i * bytes)
  const [t0, t1, t2, t3] = [scratch(0), scratch(1), scratch(2), scratch(3)]
  const step = (index: number, ...operands: readonly number[][]): number[] => [...operands.flat(), ...op.call(index)]
  const both = (index: number): number[] => [
    ...step(index, at(TARGET, 0), at(A, 0), at(B, 0)),
    ...step(index, at(TARGET, 1), at(A, 1), at(B, 1)),
  ]
  const mul2 = [
    ...step(MUL, t0, at(A, 0), at(B, 0)),
    ...step(MUL, t1, at(A, 1), at(B, 1)),
    ...step(ADD_UNREDUCED, t2, at(A, 0), at(A, 1)),
    ...step(ADD_UNREDUCED, t3, at(B, 0), at(B, 1)),
    ...step(MUL, t2, t2, t3),
    ...step(SUB, t2, t2, t0),
    ...step(SUB, at(TARGET, 1), t2, t1),
    ...step(SUB, at(TARGET, 0), t0, t1),
  ]
  const sqr2 = [
    ...step(ADD_UNREDUCED, t0, at(A, 0), at(A, 1)),
    ...step(SUB, t1, at(A, 0), at(A, 1)),
    ...step(ADD_UNREDUCED, t2, at(A, 0), at(A, 0)),
    ...step(MUL, at(TARGET, 1), t2, at(A, 1)),
    ...step(MUL, at(TARGET, 0), t0, t1),
  ]
  return [
    { name: 'add2', parameters: 3, returns: false, locals: [], code: both(ADD) },
    { name: 'sub2', parameters: 3, returns: false, locals: [], code: both(SUB) },
    { name: 'mul2', parameters: 3, returns: false, locals: [], code: mul2 },
    { name: 'sqr2', parameters: 2, returns: false, locals: [], code: sqr2 },
    { name: 'addUnreduced2', parameters: 3, returns: false, locals: [], code: both(ADD_UNREDUCED) },
  ]
}

/** -1 / limb modulo 2^30, by Newton's iteration. */
function negatedInverse(limb: number): number {
  let inverse = 1n
  for (let i = 0; i < 5; i++) inverse = BigInt.asUintN(LIMB_BITS, inverse * (2n - BigInt(limb) * inverse))
  return Number(BigInt.asUintN(LIMB_BITS, -inverse))
}
