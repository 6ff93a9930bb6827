/**
 * Operations over the curve BLS12-381.
 * @see EIP-2537
 * @module
 */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToBigInt } from '../../primitives/bytes.ts'
import { g1, g2, isInG1, isInG2, ORDER, P, splitG1, splitG2 } from './bls12381Groups.ts'
import type { Affine, Term } from './curve.ts'
import type { Fp2 } from './field.ts'
import { booleanWord, isZeroAt, writeBigInt } from './input.ts'

/** Field elements are 48 bytes after 16 zero bytes. */
const PADDING_BYTES = 16
const FP_BYTES = 64
const G1_BYTES = 128
const G2_BYTES = 256
const SCALAR_BYTES = 32

interface LibraryPoint<T> {
  is0(): boolean
  toAffine(): Affine<T>
}

// The library's types are those of other curves: it takes one number for G1, and gives points.
const mapToG1 = bls12_381.G1.mapToCurve as unknown as (element: bigint) => LibraryPoint<bigint>
const mapToG2 = bls12_381.G2.mapToCurve as unknown as (element: readonly bigint[]) => LibraryPoint<Fp2>

/** 'invalid', or a point; undefined is infinity. */
type Parsed<T> = Affine<T> | undefined | 'invalid'

export function blsG1Add(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * G1_BYTES) return undefined
  const a = readG1(input, 0)
  const b = readG1(input, G1_BYTES)
  return a === 'invalid' || b === 'invalid' ? undefined : writeG1(g1.addAffine(a, b))
}

export function blsG2Add(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * G2_BYTES) return undefined
  const a = readG2(input, 0)
  const b = readG2(input, G2_BYTES)
  return a === 'invalid' || b === 'invalid' ? undefined : writeG2(g2.addAffine(a, b))
}

export function blsG1Msm(input: Uint8Array): Uint8Array | undefined {
  const pairBytes = G1_BYTES + SCALAR_BYTES
  if (input.length === 0 || input.length % pairBytes !== 0) return undefined
  const terms: Term<bigint>[] = []
  for (let offset = 0; offset < input.length; offset += pairBytes) {
    const point = readMemberOfG1(input, offset)
    if (point === 'invalid') return undefined
    if (point !== undefined) terms.push(...splitG1(point, readScalar(input, offset + G1_BYTES)))
  }
  return writeG1(g1.toAffine(g1.sum(terms)))
}

export function blsG2Msm(input: Uint8Array): Uint8Array | undefined {
  const pairBytes = G2_BYTES + SCALAR_BYTES
  if (input.length === 0 || input.length % pairBytes !== 0) return undefined
  const terms: Term<Fp2>[] = []
  for (let offset = 0; offset < input.length; offset += pairBytes) {
    const point = readMemberOfG2(input, offset)
    if (point === 'invalid') return undefined
    if (point !== undefined) terms.push(...splitG2(point, readScalar(input, offset + G2_BYTES)))
  }
  return writeG2(g2.toAffine(g2.sum(terms)))
}

export function blsPairingCheck(input: Uint8Array): Uint8Array | undefined {
  const pairBytes = G1_BYTES + G2_BYTES
  if (input.length === 0 || input.length % pairBytes !== 0) return undefined
  const lines: Parameters<typeof bls12_381.millerLoopBatch>[0] = []
  for (let offset = 0; offset < input.length; offset += pairBytes) {
    const a = readMemberOfG1(input, offset)
    const b = readMemberOfG2(input, offset + G1_BYTES)
    if (a === 'invalid' || b === 'invalid') return undefined
    if (a === undefined || b === undefined) continue
    lines.push([bls12_381.utils.calcPairingPrecomputes(bls12_381.G2.Point.fromAffine(b)), a.x, a.y])
  }
  const { Fp12 } = bls12_381.fields
  return booleanWord(lines.length === 0 || Fp12.eql(Fp12.finalExponentiate(bls12_381.millerLoopBatch(lines)), Fp12.ONE))
}

export function blsMapFpToG1(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== FP_BYTES) return undefined
  const element = readFp(input, 0)
  return element === undefined ? undefined : writeG1(finite(mapToG1(element)))
}

export function blsMapFp2ToG2(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * FP_BYTES) return undefined
  const element = readFp2(input, 0)
  return element === undefined ? undefined : writeG2(finite(mapToG2([element.c0, element.c1])))
}

/** A point of the library in our terms. */
function finite<T>(point: LibraryPoint<T>): Affine<T> | undefined {
  return point.is0() ? undefined : point.toAffine()
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

/** A point of the curve, of any order. */
function readG1(input: Uint8Array, offset: number): Parsed<bigint> {
  if (isZeroAt(input, offset, G1_BYTES)) return undefined
  const x = readFp(input, offset)
  const y = readFp(input, offset + FP_BYTES)
  return x !== undefined && y !== undefined && g1.contains({ x, y }) ? { x, y } : 'invalid'
}

/** A point of the twist, of any order. */
function readG2(input: Uint8Array, offset: number): Parsed<Fp2> {
  if (isZeroAt(input, offset, G2_BYTES)) return undefined
  const x = readFp2(input, offset)
  const y = readFp2(input, offset + 2 * FP_BYTES)
  return x !== undefined && y !== undefined && g2.contains({ x, y }) ? { x, y } : 'invalid'
}

function readMemberOfG1(input: Uint8Array, offset: number): Parsed<bigint> {
  const point = readG1(input, offset)
  return point === undefined || point === 'invalid' || isInG1(point) ? point : 'invalid'
}

function readMemberOfG2(input: Uint8Array, offset: number): Parsed<Fp2> {
  const point = readG2(input, offset)
  return point === undefined || point === 'invalid' || isInG2(point) ? point : 'invalid'
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
