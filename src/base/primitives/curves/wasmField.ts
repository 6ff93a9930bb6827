/**
 * Fields in WebAssembly. An element is an address in a memory that is allocated like a stack; `keep` frees its top. The
 * memory never shrinks, so long input should be processed in pieces of bounded size.
 * @module
 */
import type { FieldPair, PrimeField, QuadraticField } from './field.ts'
import { invert } from './invert.ts'
import {
  elementBytes,
  LIMB_BITS,
  limbsOf,
  type MontgomeryExports,
  montgomeryModule,
  SCRATCH_ELEMENTS,
} from './montgomeryModule.ts'
import { compileFormulas, type FormulaMemory } from './wasmFormulas.ts'

/** Address of an element. */
export type Cell = number

const PAGE_BYTES = 65_536
/** Smallest number of pages by which the memory grows. */
const PAGES = 16
/** Garbage below this size is not worth moving elements for. */
const SPARE_BYTES = 32_768
const LIMB_MASK = (1n << BigInt(LIMB_BITS)) - 1n

/**
 * The field of a prime that is 3 modulo 4, and its quadratic extension.
 * @throws when the platform forbids compiling WebAssembly
 */
export async function wasmFields(p: bigint): Promise<FieldPair<Cell, Cell>> {
  const module = await WebAssembly.compile(montgomeryModule(p))
  const { exports } = await WebAssembly.instantiate(module)
  return fieldsOf(p, exports as unknown as MontgomeryExports)
}

function fieldsOf(p: bigint, wasm: MontgomeryExports): FieldPair<Cell, Cell> {
  const { memory } = wasm
  const bytes = elementBytes(p)
  const limbs = limbsOf(p)
  const radix = 1n << BigInt(limbs * LIMB_BITS)
  let words = new Uint32Array(memory.buffer)
  let end = memory.buffer.byteLength
  let top = SCRATCH_ELEMENTS * bytes

  const take = (size: number): Cell => {
    const at = top
    if (at + size > end) grow(at + size)
    top = at + size
    return at
  }
  /** Throws, leaving everything unchanged, when the host refuses more memory. */
  const grow = (needed: number): void => {
    memory.grow(Math.max(PAGES, Math.ceil((needed - end) / PAGE_BYTES)))
    words = new Uint32Array(memory.buffer)
    end = memory.buffer.byteLength
  }
  const write = (at: Cell, value: bigint): void => {
    let rest = value
    for (let i = 0; i < limbs; i++, rest >>= BigInt(LIMB_BITS)) words[at / 4 + i] = Number(rest & LIMB_MASK)
  }
  const read = (at: Cell): bigint => {
    let value = 0n
    for (let i = limbs - 1; i >= 0; i--) value = (value << BigInt(LIMB_BITS)) | BigInt(words[at / 4 + i] as number)
    return value
  }
  const constant = (value: bigint): Cell => {
    const at = take(bytes)
    write(at, value)
    return at
  }
  const pair = (c0: Cell, c1: Cell): Cell => {
    const at = take(2 * bytes)
    words.copyWithin(at / 4, c0 / 4, (c0 + bytes) / 4)
    words.copyWithin((at + bytes) / 4, c1 / 4, (c1 + bytes) / 4)
    return at
  }
  const keepOf =
    (size: number) =>
    <E extends readonly Cell[]>(mark: number, elements: E): E => {
      if (elements.length > 0 && top - mark < SPARE_BYTES) return elements
      // Copied to the top first and moved down at once, because sources and destination may overlap.
      const gathered = take(size * elements.length)
      for (let i = 0; i < elements.length; i++) {
        const at = (elements[i] as Cell) / 4
        words.copyWithin((gathered + i * size) / 4, at, at + size / 4)
      }
      words.copyWithin(mark / 4, gathered / 4, (gathered + size * elements.length) / 4)
      top = mark + size * elements.length
      return elements.map((_, i) => mark + i * size) as readonly Cell[] as E
    }

  const radixSquared = constant((radix * radix) % p)
  const plainOne = constant(1n)
  const zero = constant(0n)
  const fp: PrimeField<Cell> = {
    modulus: p,
    zero,
    one: constant(radix % p),
    of(value) {
      const at = take(bytes)
      write(at, value)
      wasm.mul(at, at, radixSquared)
      return at
    },
    valueOf(a) {
      const at = take(bytes)
      wasm.mul(at, a, plainOne)
      top = at
      return read(at)
    },
    add(a, b) {
      const at = take(bytes)
      wasm.add(at, a, b)
      return at
    },
    sub(a, b) {
      const at = take(bytes)
      wasm.sub(at, a, b)
      return at
    },
    neg(a) {
      const at = take(bytes)
      wasm.sub(at, zero, a)
      return at
    },
    mul(a, b) {
      const at = take(bytes)
      wasm.mul(at, a, b)
      return at
    },
    sqr(a) {
      const at = take(bytes)
      wasm.sqr(at, a, a)
      return at
    },
    inv: (a) => fp.of(invert(fp.valueOf(a), p)),
    isZero: (a) => wasm.equal(a, zero) === 1,
    equal: (a, b) => wasm.equal(a, b) === 1,
    mark: () => top,
    keep: keepOf(bytes),
    compile: (create, lengths) => compileFormulas(memoryOf(), (recorder) => recorder.fp, create, lengths) ?? create(fp),
  }
  const zero2 = pair(zero, zero)
  const fp2: QuadraticField<Cell, Cell> = {
    zero: zero2,
    one: pair(fp.one, zero),
    of: ({ c0, c1 }) => pair(fp.of(c0), fp.of(c1)),
    fromParts: pair,
    partsOf: (a) => [a, a + bytes],
    valueOf: (a) => ({ c0: fp.valueOf(a), c1: fp.valueOf(a + bytes) }),
    add(a, b) {
      const at = take(2 * bytes)
      wasm.add2(at, a, b)
      return at
    },
    sub(a, b) {
      const at = take(2 * bytes)
      wasm.sub2(at, a, b)
      return at
    },
    neg(a) {
      const at = take(2 * bytes)
      wasm.sub2(at, zero2, a)
      return at
    },
    mul(a, b) {
      const at = take(2 * bytes)
      wasm.mul2(at, a, b)
      return at
    },
    sqr(a) {
      const at = take(2 * bytes)
      wasm.sqr2(at, a)
      return at
    },
    conjugate(a) {
      const at = pair(a, zero)
      wasm.sub(at + bytes, zero, a + bytes)
      return at
    },
    addRotated(a, b) {
      const at = take(2 * bytes)
      wasm.sub(at, a, b + bytes)
      wasm.add(at + bytes, a + bytes, b)
      return at
    },
    scale(a, factor) {
      const at = take(2 * bytes)
      wasm.mul(at, a, factor)
      wasm.mul(at + bytes, a + bytes, factor)
      return at
    },
    inv(a) {
      const norm = fp.inv(fp.add(fp.sqr(a), fp.sqr(a + bytes)))
      return fp2.scale(fp2.conjugate(a), norm)
    },
    isZero: (a) => wasm.equal(a, zero) === 1 && wasm.equal(a + bytes, zero) === 1,
    equal: (a, b) => wasm.equal(a, b) === 1 && wasm.equal(a + bytes, b + bytes) === 1,
    mark: () => top,
    keep: keepOf(2 * bytes),
    compile: (create, lengths) =>
      compileFormulas(memoryOf(), (recorder) => recorder.fp2, create, lengths) ?? create(fp2),
  }
  const fields: FieldPair<Cell, Cell> = {
    fp,
    fp2,
    compile: (create, lengths) =>
      compileFormulas(memoryOf(), (recorder) => recorder, create, lengths) ?? create(fields),
  }
  const memoryOf = (): FormulaMemory => ({ wasm, fields, bytes, take, words: () => words })
  return fields
}
