/**
 * Proof that the polynomial of a KZG commitment has a value at a point.
 *
 * Of the trusted setup only one point of G2 is needed, so that the rest of it is not loaded. The equation
 * e(C - y G1, -G2) · e(π, τ G2 - z G2) = 1 is checked as e(C - y G1 + z π, -G2) · e(π, τ G2) = 1: both points of G2 are
 * constants then, whose lines are computed once.
 * @see EIP-4844
 * @module
 */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToBigInt, equalBytes } from '../../primitives/bytes.ts'
import { fp, g1, isInG1, ORDER, P, splitG1 } from './bls12381Groups.ts'
import type { Affine } from './curve.ts'
import { power } from './field.ts'
import { isZeroAt, writeBigInt } from './input.ts'

const INPUT_BYTES = 192
const FIELD_ELEMENTS_PER_BLOB = 4096n
const VERSION_KZG = 1
const COMPRESSED_BYTES = 48

/** τ G2 of the KZG ceremony, compressed. */
const TAU_G2 =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

const { Point: G2Point } = bls12_381.G2
const { calcPairingPrecomputes } = bls12_381.utils
const NEGATED_G2_LINES = calcPairingPrecomputes(G2Point.BASE.negate())
const TAU_G2_LINES = calcPairingPrecomputes(G2Point.fromHex(TAU_G2))
const GENERATOR: Affine<bigint> = bls12_381.G1.Point.BASE.toAffine()

const OUTPUT: Uint8Array = new Uint8Array(64)
writeBigInt(OUTPUT, 0, FIELD_ELEMENTS_PER_BLOB, 32)
writeBigInt(OUTPUT, 32, ORDER, 32)

/**
 * @param input versioned hash, z and y (32 bytes each), commitment and proof (48 bytes each)
 * @returns the elements per blob and the order of the field, 32 bytes each; undefined when the proof does not hold
 */
export function kzgPointEvaluation(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== INPUT_BYTES) return undefined
  const commitment = input.subarray(96, 144)
  const versionedHash = sha256(commitment)
  versionedHash[0] = VERSION_KZG
  if (!equalBytes(versionedHash, input.subarray(0, 32))) return undefined
  const z = bytesToBigInt(input.subarray(32, 64))
  const y = bytesToBigInt(input.subarray(64, 96))
  if (z >= ORDER || y >= ORDER) return undefined
  return holds(commitment, z, y, input.subarray(144, INPUT_BYTES)) ? OUTPUT.slice() : undefined
}

function holds(commitment: Uint8Array, z: bigint, y: bigint, proof: Uint8Array): boolean {
  const c = readG1(commitment)
  const pi = readG1(proof)
  if (c === 'invalid' || pi === 'invalid') return false
  const terms = splitG1(GENERATOR, y === 0n ? 0n : ORDER - y)
  if (pi !== undefined) terms.push(...splitG1(pi, z))
  const rest = g1.sum(terms)
  const left = g1.toAffine(c === undefined ? rest : g1.add(rest, g1.toJacobian(c)))
  const lines: Parameters<typeof bls12_381.millerLoopBatch>[0] = []
  if (left !== undefined) lines.push([NEGATED_G2_LINES, left.x, left.y])
  if (pi !== undefined) lines.push([TAU_G2_LINES, pi.x, pi.y])
  const { Fp12 } = bls12_381.fields
  return lines.length === 0 || Fp12.eql(Fp12.finalExponentiate(bls12_381.millerLoopBatch(lines)), Fp12.ONE)
}

/**
 * A point of G1 from its compressed form: flags in the three highest bits (compressed, infinity, larger y), then x.
 * @returns undefined for infinity
 */
function readG1(bytes: Uint8Array): Affine<bigint> | undefined | 'invalid' {
  const head = bytes[0] as number
  if (head >> 7 === 0) return 'invalid'
  if (head & 0x40) return head === 0xc0 && isZeroAt(bytes, 1, COMPRESSED_BYTES - 1) ? undefined : 'invalid'
  const x = BigInt.asUintN(8 * COMPRESSED_BYTES - 3, bytesToBigInt(bytes))
  if (x >= P) return 'invalid'
  const root = power(fp, fp.add(fp.mul(fp.sqr(x), x), 4n), (P + 1n) / 4n)
  const isLarger = root > (P - 1n) / 2n
  const point = { x, y: isLarger === ((head & 0x20) !== 0) ? root : fp.neg(root) }
  return g1.contains(point) && isInG1(point) ? point : 'invalid'
}
