/**
 * Integers as existing private-network clients write them: `Long.decode` and `Integer.decode` of Java, which take
 * decimal, `0x` or `#` hex, octal after a leading zero, and a sign.
 * @module
 */
import { invalidParams } from '../../api/errors.ts'

const SYNTAX = /^([+-]?)(?:(0[xX]|#)([0-9a-fA-F]+)|0([0-7]+)|(0|[1-9][0-9]*))$/

/** @throws {NodeError} INVALID_PARAMS when it is no such number or takes more than `bits` bits with the sign */
export function decodeInteger(text: string, bits: 32 | 64): bigint {
  const match = SYNTAX.exec(text)
  // More than 30 digits cannot be in range; leading zeros of that length are refused as well.
  if (match === null || text.length > 70) throw invalidParams(`not an integer: ${text.slice(0, 40)}`)
  const [, sign, , hex, octal, decimal] = match
  const magnitude = BigInt(hex !== undefined ? `0x${hex}` : octal !== undefined ? `0o${octal}` : (decimal as string))
  const value = sign === '-' ? -magnitude : magnitude
  if (BigInt.asIntN(bits, value) !== value) throw invalidParams(`integer out of range: ${text.slice(0, 40)}`)
  return value
}
