// slow: generated operands
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generatedCases } from '../../../support/host/generatedCases.ts'
import { assemble, execute, newInstance, wordBytes } from './assemblyHarness.ts'

const WORDS = 2n ** 256n
const EDGES: readonly bigint[] = [
  ...[0n, 1n, 2n, 3n, 7n, 31n, 32n, 255n, 256n, 257n],
  ...[32n, 63n, 64n, 65n, 96n, 127n, 128n, 160n, 191n, 192n, 224n, 255n].flatMap((n) => [
    2n ** n - 1n,
    2n ** n,
    2n ** n + 1n,
  ]),
  ...[1n, 2n, 7n, 256n, 2n ** 64n, 2n ** 128n].map((n) => WORDS - n),
]

const unsigned = (x: bigint): bigint => BigInt.asUintN(256, x)
const signed = (x: bigint): bigint => BigInt.asIntN(256, x)
const truth = (x: boolean): bigint => (x ? 1n : 0n)

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let rest = exponent, square = base; rest > 0n; rest >>= 1n, square = unsigned(square * square)) {
    if (rest & 1n) result = unsigned(result * square)
  }
  return result
}

function signExtend(size: bigint, x: bigint): bigint {
  return size > 30n ? x : unsigned(BigInt.asIntN(Number(size * 8n + 8n), x))
}

type Operation = (...operands: bigint[]) => bigint

const UNARY: Readonly<Record<string, readonly [number, Operation]>> = {
  ISZERO: [0x15, (a) => truth(a === 0n)],
  NOT: [0x19, (a) => unsigned(~a)],
  CLZ: [0x1e, (a) => (a === 0n ? 256n : BigInt(256 - a.toString(2).length))],
}

const BINARY: Readonly<Record<string, readonly [number, Operation]>> = {
  ADD: [0x01, (a, b) => unsigned(a + b)],
  MUL: [0x02, (a, b) => unsigned(a * b)],
  SUB: [0x03, (a, b) => unsigned(a - b)],
  DIV: [0x04, (a, b) => (b === 0n ? 0n : a / b)],
  SDIV: [0x05, (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b)))],
  MOD: [0x06, (a, b) => (b === 0n ? 0n : a % b)],
  SMOD: [0x07, (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b)))],
  EXP: [0x0a, power],
  SIGNEXTEND: [0x0b, signExtend],
  LT: [0x10, (a, b) => truth(a < b)],
  GT: [0x11, (a, b) => truth(a > b)],
  SLT: [0x12, (a, b) => truth(signed(a) < signed(b))],
  SGT: [0x13, (a, b) => truth(signed(a) > signed(b))],
  EQ: [0x14, (a, b) => truth(a === b)],
  AND: [0x16, (a, b) => a & b],
  OR: [0x17, (a, b) => a | b],
  XOR: [0x18, (a, b) => a ^ b],
  BYTE: [0x1a, (a, b) => (a > 31n ? 0n : (b >> ((31n - a) * 8n)) & 255n)],
  SHL: [0x1b, (a, b) => (a > 255n ? 0n : unsigned(b << a))],
  SHR: [0x1c, (a, b) => (a > 255n ? 0n : b >> a)],
  SAR: [0x1d, (a, b) => unsigned(signed(b) >> (a > 255n ? 255n : a))],
}

const TERNARY: Readonly<Record<string, readonly [number, Operation]>> = {
  ADDMOD: [0x08, (a, b, c) => (c === 0n ? 0n : (a + b) % c)],
  MULMOD: [0x09, (a, b, c) => (c === 0n ? 0n : (a * b) % c)],
}

const instance = newInstance()
const GAS = 1_000_000_000n

/** Results of one opcode for many operands in a single program; the first operand is on top of the stack. */
function compute(opcode: number, cases: readonly (readonly bigint[])[]): bigint[] {
  const parts = cases.flatMap((operands, i) => {
    const pushes = operands.toReversed().flatMap((x) => [0x7f, ...wordBytes(x)])
    return [...pushes, opcode, 0x62, (32 * i) >> 16, ((32 * i) >> 8) & 255, (32 * i) & 255, 0x52]
  })
  const code = Uint8Array.from([...parts, ...assemble(BigInt(32 * cases.length), 0n, 0xf3)])
  const { output } = execute(instance, { code, gas: GAS })
  const hex = Array.from(output, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return cases.map((_, i) => BigInt(`0x${hex.slice(64 * i, 64 * i + 64)}`))
}

/** Words of every length, often with long runs of zeros or ones. */
const word = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.bigInt({ min: 0n, max: WORDS - 1n }),
  fc.nat({ max: 256 }).chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - (bits === 0 ? 0n : 1n) })),
  fc
    .array(fc.constantFrom(0n, 1n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_fffen, 0xffff_ffffn), {
      minLength: 8,
      maxLength: 8,
    })
    .map((limbs) => limbs.reduce((sum: bigint, limb) => (sum << 32n) | limb, 0n)),
)

/** The first case in which opcode and operation differ. */
function difference(opcode: number, operation: Operation, cases: readonly (readonly bigint[])[]): string | undefined {
  const results = compute(opcode, cases)
  const at = cases.findIndex((operands, i) => results[i] !== operation(...operands))
  return at < 0 ? undefined : `${cases[at]?.map((x) => x.toString(16)).join(' ')} gives ${results[at]?.toString(16)}`
}

function check(opcode: number, operation: Operation, edges: readonly (readonly bigint[])[]): void {
  expect(difference(opcode, operation, edges)).toBeUndefined()
  const arity = operation.length
  const batch = fc.array(fc.array(word, { minLength: arity, maxLength: arity }), { minLength: 200, maxLength: 200 })
  const isSame = fc.property(batch, (cases) => {
    expect(difference(opcode, operation, cases)).toBeUndefined()
  })
  fc.assert(isSame, { numRuns: generatedCases(6), seed: 1, endOnFailure: true })
}

describe('arithmetic of the native module', () => {
  it.each(Object.entries(UNARY))('%s agrees with BigInt', (_, [opcode, operation]) => {
    check(
      opcode,
      operation,
      EDGES.map((a) => [a]),
    )
  })

  it.each(Object.entries(BINARY))('%s agrees with BigInt', (_, [opcode, operation]) => {
    check(
      opcode,
      operation,
      EDGES.flatMap((a) => EDGES.map((b) => [a, b])),
    )
  })

  /** Digits of the quotient of all ones, and estimates of digits that are too large, are rare otherwise. */
  const nearMultiple = fc
    .tuple(word, fc.nat({ max: 3 }), word, fc.bigInt({ min: -2n, max: 2n }))
    .map(([divisor, limbs, factor, rest]): [bigint, bigint] => {
      const multiple = divisor * (limbs === 0 ? factor : 2n ** BigInt(64 * limbs))
      return [unsigned(multiple % WORDS === multiple ? multiple + rest : multiple % WORDS), divisor]
    })

  it.each(['DIV', 'MOD', 'SDIV', 'SMOD'])('%s agrees with BigInt next to multiples of the divisor', (name) => {
    const [opcode, operation] = BINARY[name] as readonly [number, Operation]
    const isSame = fc.property(fc.array(nearMultiple, { minLength: 200, maxLength: 200 }), (cases) => {
      expect(difference(opcode, operation, cases)).toBeUndefined()
    })
    fc.assert(isSame, { numRuns: generatedCases(6), seed: 2, endOnFailure: true })
  })

  it.each(Object.entries(TERNARY))(
    '%s agrees with BigInt for operands next to one modulus',
    (_, [opcode, operation]) => {
      const near = fc.oneof(word, fc.bigInt({ min: 1n, max: 3n }))
      const batch = fc.tuple(word, fc.array(fc.tuple(near, near, fc.boolean()), { minLength: 200, maxLength: 200 }))
      const isSame = fc.property(batch, ([modulus, operands]) => {
        const cases = operands.map(([a, b, isNear]) => [isNear ? unsigned(modulus - a) : a, b, modulus])
        expect(difference(opcode, operation, cases)).toBeUndefined()
      })
      fc.assert(isSame, { numRuns: generatedCases(6), seed: 3, endOnFailure: true })
    },
  )

  it.each(Object.entries(TERNARY))('%s agrees with BigInt', (_, [opcode, operation]) => {
    const some = EDGES.filter((_, i) => i % 3 === 0)
    check(
      opcode,
      operation,
      some.flatMap((a) => some.flatMap((b) => some.map((c) => [a, b, c]))),
    )
  })
})
