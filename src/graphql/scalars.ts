/**
 * The scalars: bytes are `Uint8Array` inside, integers `bigint`. Input accepts what Besu accepts.
 * @module
 */
import { type GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { bytesToHex, padLeft, quantity, tryHexToBytes } from '../base/primitives/bytes.ts'

/** A value that does not belong to the scalar; becomes a validation error. */
class ScalarError extends TypeError {}

interface Scalar {
  parse(value: unknown): unknown
  serialize(value: never): unknown
}

const MAX_LONG = 2n ** 63n - 1n
const MAX_UINT256 = 2n ** 256n - 1n
const LONG_TEXT = /^[+-]?(?:0[xX][0-9a-fA-F]{1,16}|[0-9]{1,19})$/
const HEX_DIGITS = /^(?:0[xX])?[0-9a-fA-F]{1,64}$/

function bytesOf(value: unknown, name: string): Uint8Array {
  if (typeof value !== 'string') throw new ScalarError(`${name} value is not a string`)
  if (!/^0[xX]/.test(value)) throw new ScalarError(`${name} value '${value}' is not prefixed with 0x`)
  const bytes = tryHexToBytes(value.length & 1 ? `0x0${value.slice(2)}` : value)
  if (bytes === undefined) throw new ScalarError(`${name} value '${value}' is not hex`)
  return bytes
}

function address(value: unknown): Uint8Array {
  const bytes = bytesOf(value, 'Address')
  if (bytes.length !== 20 || (value as string).length !== 42) {
    throw new ScalarError(`Address value '${value}' is not 20 bytes long`)
  }
  return bytes
}

function bytes32(value: unknown): Uint8Array {
  const bytes = bytesOf(value, 'Bytes32')
  if (bytes.length > 32) throw new ScalarError(`Bytes32 value '${value}' is longer than 32 bytes`)
  return padLeft(bytes, 32)
}

/** Text is always hex, a number is decimal. */
function bigInt(value: unknown): bigint {
  const parsed = typeof value === 'string' ? hexInteger(value) : integer(value, 'BigInt')
  if (parsed < 0n || parsed > MAX_UINT256) throw new ScalarError(`BigInt value '${value}' is not in range`)
  return parsed
}

function hexInteger(text: string): bigint {
  if (!HEX_DIGITS.test(text)) throw new ScalarError(`BigInt value '${text}' is not hex`)
  return BigInt(/^0[xX]/.test(text) ? text : `0x${text}`)
}

/** Negative values are possible: no block has such a number. */
function long(value: unknown): bigint {
  const parsed = typeof value === 'string' ? longText(value) : integer(value, 'Long')
  if (parsed > MAX_LONG || parsed < -MAX_LONG) throw new ScalarError(`Long value '${value}' is not in range`)
  return parsed
}

function longText(text: string): bigint {
  if (!LONG_TEXT.test(text)) throw new ScalarError(`Long value '${text}' is not an integer`)
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace('+', ''))
}

function integer(value: unknown, name: string): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new ScalarError(`${name} value is not an integer`)
  return BigInt(value)
}

/** A number that JSON holds exactly; beyond that, the JSON writer prints all digits. */
function longNumber(value: bigint | number): number | bigint {
  return typeof value === 'number' || value > BigInt(Number.MAX_SAFE_INTEGER) ? value : Number(value)
}

const SCALARS: Readonly<Record<string, Scalar>> = {
  Address: { parse: address, serialize: bytesToHex },
  Bytes32: { parse: bytes32, serialize: bytesToHex },
  Bytes: { parse: (value) => bytesOf(value, 'Bytes'), serialize: bytesToHex },
  BigInt: { parse: bigInt, serialize: quantity },
  Long: { parse: long, serialize: longNumber },
}

/** Gives a scalar of the schema its conversions; other scalars remain unchanged. */
export function attachScalar(type: GraphQLScalarType): void {
  const scalar = SCALARS[type.name]
  if (scalar === undefined) return
  type.serialize = (value) => scalar.serialize(value as never)
  type.parseValue = (value) => scalar.parse(value)
  type.parseLiteral = (node) => scalar.parse(literal(node, type.name))
}

function literal(node: ValueNode, name: string): string | bigint {
  if (node.kind === Kind.STRING) return node.value
  if (node.kind === Kind.INT) return BigInt(node.value)
  throw new ScalarError(`${name} value is neither text nor an integer`)
}
