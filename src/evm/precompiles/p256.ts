/**
 * Verifies signatures over secp256r1.
 * @see EIP-7951; SEC 1, section 4.1.4
 * @module
 */
import { bytesToBigInt, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { Curve } from '../../base/primitives/curves/curve.ts'
import { type FieldPair, inScope, primeField } from '../../base/primitives/curves/field.ts'
import { booleanWord } from './input.ts'
import type { RunPrecompile } from './runPrecompile.ts'

export const P256_P: bigint = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn
const GENERATOR_X = 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n
const GENERATOR_Y = 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n

/**
 * The input is hash, r, s, x and y, 32 bytes each. The output is 1 in 32 bytes; empty when the signature is invalid or
 * the input malformed.
 */
export function createP256<F>(fields: FieldPair<F, unknown>): RunPrecompile {
  const { fp } = fields
  const scalars = primeField(ORDER)
  const curve = new Curve(fp, fp.of(B), fp.of(P256_P - 3n))
  const generator = { x: fp.of(GENERATOR_X), y: fp.of(GENERATOR_Y) }

  function holds(input: Uint8Array): boolean {
    const part = (i: number): bigint => bytesToBigInt(input.subarray(32 * i, 32 * i + 32))
    const [r, s, x, y] = [part(1), part(2), part(3), part(4)]
    if (r === 0n || r >= ORDER || s === 0n || s >= ORDER || x >= P256_P || y >= P256_P) return false
    const key = { x: fp.of(x), y: fp.of(y) }
    if (!curve.contains(key)) return false
    const inverse = scalars.inv(s)
    const sum = curve.sum([
      { point: generator, scalar: scalars.mul(part(0) % ORDER, inverse) },
      { point: key, scalar: scalars.mul(r, inverse) },
    ])
    if (fp.isZero(sum.z)) return false
    const square = fp.sqr(sum.z)
    const isX = (value: bigint): boolean => fp.equal(sum.x, fp.mul(fp.of(value), square))
    return isX(r) || (r + ORDER < P256_P && isX(r + ORDER))
  }

  return (input) => (input.length === 160 && inScope(fields, () => holds(input)) ? booleanWord(true) : EMPTY_BYTES)
}
