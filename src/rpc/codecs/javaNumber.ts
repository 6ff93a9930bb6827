/**
 * Integers in the syntax of Java's `Long.decode` and `Integer.decode`, which clients of private networks use: decimal,
 * `0x` or `#` hex, octal after a leading zero, and a sign.
 * @module
 */
import { unexpectedValue } from '../../api/errors.ts'
import { described } from '../../base/primitives/printable.ts'

const SYNTAX = /^([+-]?)(?:(0[xX]|#)([0-9a-fA-F]+)|0([0-7]+)|(0|[1-9][0-9]*))$/

/** @throws {NodeError} INVALID_PARAMS when the text is not such a number or exceeds `bits` bits including the sign */
export function decodeInteger(text: string, bits: 32 | 64): bigint {
  const match = SYNTAX.exec(text)
  // Numbers of more than 30 digits are out of range; texts that long are also refused when the digits are leading
  // zeros.
  if (match === null || text.length > 70) throw unexpectedValue('an integer', described(text))
  const [, sign, , hex, octal, decimal] = match
  const magnitude = BigInt(hex !== undefined ? `0x${hex}` : octal !== undefined ? `0o${octal}` : (decimal as string))
  const value = sign === '-' ? -magnitude : magnitude
  if (BigInt.asIntN(bits, value) !== value)
    throw unexpectedValue(`an integer of at most ${bits} bits with its sign`, described(text))
  return value
}
