/**
 * Operations over the curve BLS12-381.
 * @see EIP-2537
 * @module
 */
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { type Affine, Curve, type Jacobian, type Term } from '../../base/primitives/curves/curve.ts'
import { type FieldPair, type Fp2, inScope, primeField, quadraticField } from '../../base/primitives/curves/field.ts'
import { type Bls12381Groups, ORDER, P } from './bls12381Groups.ts'
import { booleanWord, isZeroAt, writeBigInt } from './input.ts'
import { interruptible, type PrecompileSteps, type RunPrecompile } from './runPrecompile.ts'

/** Field elements have 48 bytes, preceded by 16 zero bytes. */
const PADDING_BYTES = 16
const FP_BYTES = 64
const G1_BYTES = 128
const G2_BYTES = 256
const PAIR_BYTES = G1_BYTES + G2_BYTES
const SCALAR_BYTES = 32

/** 'invalid', or a point; undefined for infinity. */
type Parsed<T> = Affine<T> | undefined | 'invalid'

/** The operations on a group that the precompiles need. */
interface Group<T, V> {
  readonly curve: Curve<T>
  readonly of: (value: V) => T
  readonly valueOf: (element: T) => V
  readonly pointBytes: number
  /** Products of one step: some milliseconds of work, in memory that does not depend on the length of the input. */
  readonly productsPerStep: number
  /** Reads a member of the group. */
  read(input: Uint8Array, offset: number): Parsed<T>
  /** Splits a product into products with shorter scalars. */
  split(point: Affine<T>, scalar: bigint): Term<T>[]
  write(point: Jacobian<T>): Uint8Array
}

type BlsPrecompile =
  | 'BLS12_G1ADD'
  | 'BLS12_G1MSM'
  | 'BLS12_G2ADD'
  | 'BLS12_G2MSM'
  | 'BLS12_PAIRING_CHECK'
  | 'BLS12_MAP_FP_TO_G1'
  | 'BLS12_MAP_FP2_TO_G2'

// One inversion and a few products do not justify converting the numbers.
const fp = primeField(P)
const fp2 = quadraticField(fp)
const plainG1 = new Curve(fp, 4n)
const plainG2 = new Curve(fp2, { c0: 4n, c1: 4n })

export function createBls12381<F, T>(groups: Bls12381Groups<F, T>): Readonly<Record<BlsPrecompile, RunPrecompile>> {
  const { fields, g1, g2, pairing } = groups

  const inG1: Group<F, bigint> = {
    curve: g1,
    of: fields.fp.of,
    valueOf: fields.fp.valueOf,
    pointBytes: G1_BYTES,
    productsPerStep: 32,
    read(input, offset) {
      const plain = readG1(input, offset)
      if (plain === undefined || plain === 'invalid') return plain
      const point = { x: fields.fp.of(plain.x), y: fields.fp.of(plain.y) }
      return groups.isInG1(point) ? point : 'invalid'
    },
    split: (point, scalar) => groups.splitG1(point, scalar),
    write(point) {
      const affine = g1.toAffine(point)
      return writeG1(affine && { x: fields.fp.valueOf(affine.x), y: fields.fp.valueOf(affine.y) })
    },
  }
  const inG2: Group<T, Fp2> = {
    curve: g2,
    of: fields.fp2.of,
    valueOf: fields.fp2.valueOf,
    pointBytes: G2_BYTES,
    productsPerStep: 16,
    read(input, offset) {
      const plain = readG2(input, offset)
      if (plain === undefined || plain === 'invalid') return plain
      const point = { x: fields.fp2.of(plain.x), y: fields.fp2.of(plain.y) }
      return groups.isInG2(point) ? point : 'invalid'
    },
    split: (point, scalar) => groups.splitG2(point, scalar),
    write(point) {
      const affine = g2.toAffine(point)
      return writeG2(affine && { x: fields.fp2.valueOf(affine.x), y: fields.fp2.valueOf(affine.y) })
    },
  }

  function* pairingCheck(input: Uint8Array): PrecompileSteps {
    if (input.length === 0 || input.length % PAIR_BYTES !== 0) return undefined
    const isOne = yield* pairing.check(input, PAIR_BYTES, (offset) => {
      const a = inG1.read(input, offset)
      const b = inG2.read(input, offset + G1_BYTES)
      if (a === 'invalid' || b === 'invalid') return 'invalid'
      return a && b && [a, pairing.prepare(b)]
    })
    return isOne === undefined ? undefined : booleanWord(isOne)
  }

  function mapFpToG1(input: Uint8Array): Uint8Array | undefined {
    if (input.length !== FP_BYTES) return undefined
    const element = readFp(input, 0)
    return element === undefined ? undefined : inG1.write(groups.mapToG1(fields.fp.of(element)))
  }

  function mapFp2ToG2(input: Uint8Array): Uint8Array | undefined {
    if (input.length !== 2 * FP_BYTES) return undefined
    const element = readFp2(input, 0)
    return element === undefined ? undefined : inG2.write(groups.mapToG2(fields.fp2.of(element)))
  }

  return {
    BLS12_G1ADD: blsG1Add,
    BLS12_G1MSM: interruptible((input) => sumOfProducts(fields, inG1, input)),
    BLS12_G2ADD: blsG2Add,
    BLS12_G2MSM: interruptible((input) => sumOfProducts(fields, inG2, input)),
    BLS12_PAIRING_CHECK: interruptible(pairingCheck),
    BLS12_MAP_FP_TO_G1: (input) => inScope(fields, () => mapFpToG1(input)),
    BLS12_MAP_FP2_TO_G2: (input) => inScope(fields, () => mapFp2ToG2(input)),
  }
}

/** The sum of scalar · point over all pairs of the input. */
function* sumOfProducts<T, V>(
  fields: FieldPair<unknown, unknown>,
  group: Group<T, V>,
  input: Uint8Array,
): PrecompileSteps {
  const { curve, pointBytes } = group
  const pairBytes = pointBytes + SCALAR_BYTES
  if (input.length === 0 || input.length % pairBytes !== 0) return undefined
  const stepBytes = group.productsPerStep * pairBytes
  // Between two steps, others use the memory of the fields.
  let sum: readonly V[] | undefined
  for (let start = 0; ; start += stepBytes) {
    const end = Math.min(input.length, start + stepBytes)
    const step = inScope(fields, (): Uint8Array | readonly V[] | undefined => {
      const terms: Term<T>[] = []
      for (let offset = start; offset < end; offset += pairBytes) {
        const point = group.read(input, offset)
        if (point === 'invalid') return undefined
        if (point !== undefined) terms.push(...group.split(point, readScalar(input, offset + pointBytes)))
      }
      const own = curve.sum(terms)
      const [x, y, z] = sum?.map(group.of) ?? []
      const total = x === undefined || y === undefined || z === undefined ? own : curve.add({ x, y, z }, own)
      return end === input.length ? group.write(total) : [total.x, total.y, total.z].map(group.valueOf)
    })
    if (step === undefined || step instanceof Uint8Array) return step
    sum = step
    yield
  }
}

function blsG1Add(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * G1_BYTES) return undefined
  const a = readG1(input, 0)
  const b = readG1(input, G1_BYTES)
  return a === 'invalid' || b === 'invalid' ? undefined : writeG1(plainG1.addAffine(a, b))
}

function blsG2Add(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * G2_BYTES) return undefined
  const a = readG2(input, 0)
  const b = readG2(input, G2_BYTES)
  return a === 'invalid' || b === 'invalid' ? undefined : writeG2(plainG2.addAffine(a, b))
}

function readScalar(input: Uint8Array, offset: number): bigint {
  return bytesToBigInt(input.subarray(offset, offset + SCALAR_BYTES)) % ORDER
}

function readFp(input: Uint8Array, offset: number): bigint | undefined {
  if (!isZeroAt(input, offset, PADDING_BYTES)) return undefined
  const value = bytesToBigInt(input.subarray(offset + PADDING_BYTES, offset + FP_BYTES))
  return value < P ? value : undefined
}

function readFp2(input: Uint8Array, offset: number): Fp2 | undefined {
  const c0 = readFp(input, offset)
  const c1 = readFp(input, offset + FP_BYTES)
  return c0 === undefined || c1 === undefined ? undefined : { c0, c1 }
}

/** Reads a point of the curve, of any order. */
function readG1(input: Uint8Array, offset: number): Parsed<bigint> {
  if (isZeroAt(input, offset, G1_BYTES)) return undefined
  const x = readFp(input, offset)
  const y = readFp(input, offset + FP_BYTES)
  return x !== undefined && y !== undefined && plainG1.contains({ x, y }) ? { x, y } : 'invalid'
}

/** Reads a point of the twist, of any order. */
function readG2(input: Uint8Array, offset: number): Parsed<Fp2> {
  if (isZeroAt(input, offset, G2_BYTES)) return undefined
  const x = readFp2(input, offset)
  const y = readFp2(input, offset + 2 * FP_BYTES)
  return x !== undefined && y !== undefined && plainG2.contains({ x, y }) ? { x, y } : 'invalid'
}

function writeG1(point: Affine<bigint> | undefined): Uint8Array {
  const output = new Uint8Array(G1_BYTES)
  if (point !== undefined) {
    writeFp(output, 0, point.x)
    writeFp(output, FP_BYTES, point.y)
  }
  return output
}

function writeG2(point: Affine<Fp2> | undefined): Uint8Array {
  const output = new Uint8Array(G2_BYTES)
  if (point !== undefined) {
    const { x, y } = point
    for (const [i, value] of [x.c0, x.c1, y.c0, y.c1].entries()) writeFp(output, i * FP_BYTES, value)
  }
  return output
}

function writeFp(target: Uint8Array, offset: number, value: bigint): void {
  writeBigInt(target, offset + PADDING_BYTES, value, FP_BYTES - PADDING_BYTES)
}
