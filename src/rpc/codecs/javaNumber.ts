/**
 * Integers in the syntax of Java's `Long.decode` and `Integer.decode`, which clients of private networks use: decimal,
 * `0x` or `#` hex, octal after a leading zero, and a sign.
 * @module
 */
import { invalidParams } from '../../api/errors.ts'

const SYNTAX = /^([+-]?)(?:(0[xX]|#)([0-9a-fA-F]+)|0([0-7]+)|(0|[1-9][0-9]*))$/

/** @throws {NodeError} INVALID_PARAMS when the text is not such a number or exceeds `bits` bits including the sign */
export function decodeInteger(text: string, bits: 32 | 64): bigint {
  const match = SYNTAX.exec(text)
  // Numbers of more than 30 digits are out of range; texts that long are also refused when the digits are leading
  // zeros.
  if (match === null || text.length > 70) throw invalidParams(`not an integer: ${text.slice(0, 40)}`)
  const [, sign, , hex, octal, decimal] = match
  const magnitude = BigInt(hex !== undefined ? `0x${hex}` : octal !== undefined ? `0o${octal}` : (decimal as string))
  const value = sign === '-' ? -magnitude : magnitude
  if (BigInt.asIntN(bits, value) !== value) throw invalidParams(`integer out of range: ${text.slice(0, 40)}`)
  return value
}
