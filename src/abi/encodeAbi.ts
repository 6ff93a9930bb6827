/**
 * Encodes values as the ABI does.
 * @see Solidity documentation, "Contract ABI Specification"
 * @module
 */
import { bigIntToBytesPadded, concatBytes, hexToBytes, padLeft, tryHexToBytes } from '../base/primitives/bytes.ts'
import { described } from '../base/primitives/printable.ts'
import { checksumAddress } from '../types/address.ts'
import type { AbiItem } from './abiItem.ts'
import { type AbiType, canonicalName, headBytes, isDynamic } from './abiType.ts'

/**
 * Integers are bigints, numbers, or decimal or 0x-prefixed text; addresses and bytes are bytes or 0x-prefixed hex. A tuple
 * is a list, or an object with the names of its members.
 */
export type AbiInput =
  | bigint
  | number
  | boolean
  | string
  | Uint8Array
  | readonly AbiInput[]
  | { readonly [name: string]: AbiInput }

const WORD = 32
const ADDRESS_BYTES = 20
const MAX_LIST_ITEMS = 32_768
const DECIMAL = /^-?\d{1,80}$/
const HEX_NUMBER = /^0x[0-9a-f]{1,64}$/i
const HEX_ADDRESS = /^0x[0-9a-f]{40}$/i

const utf8 = new TextEncoder()

/**
 * Call data of a function.
 * @throws {TypeError} when a value does not have its type; the message names the argument
 */
export function encodeCall(
  item: Pick<AbiItem, 'selector' | 'inputs' | 'names'>,
  values: readonly AbiInput[],
): Uint8Array {
  return concatBytes(hexToBytes(`0x${item.selector}`), encodeAbi(item.inputs, values, item.names))
}

/**
 * @param names of the values, for errors
 * @throws {TypeError} when a value does not have its type
 */
export function encodeAbi(
  types: readonly AbiType[],
  values: readonly AbiInput[],
  names: readonly string[] = [],
): Uint8Array {
  if (values.length !== types.length) {
    throw new TypeError(`expected ${types.length} arguments, got ${values.length}`)
  }
  return encodeMembers(types, values, (i) => names[i] || `argument ${i + 1}`)
}

/** Heads of all members, then the tails of those that are dynamic. */
function encodeMembers(
  types: readonly AbiType[],
  values: readonly AbiInput[],
  nameOf: (index: number) => string,
): Uint8Array {
  const heads: Uint8Array[] = []
  const tails: Uint8Array[] = []
  let offset = types.reduce((sum, type) => sum + headBytes(type), 0)
  for (const [i, type] of types.entries()) {
    const encoded = encodeValue(type, values[i] as AbiInput, nameOf(i))
    if (!isDynamic(type)) {
      heads.push(encoded)
      continue
    }
    heads.push(word(BigInt(offset)))
    tails.push(encoded)
    offset += encoded.length
  }
  return concatBytes(...heads, ...tails)
}

function encodeValue(type: AbiType, value: AbiInput, name: string): Uint8Array {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return encodeInteger(type, value, name)
    case 'bool':
      return word(booleanOf(value, name) ? 1n : 0n)
    case 'address':
      return padLeft(addressOf(value, name), WORD)
    case 'fixedBytes':
      return paddedRight(fixedBytesOf(type.length, value, name))
    case 'bytes':
      return withLength(bytesOf(value, name))
    case 'string':
      if (typeof value !== 'string') throw wrong(name, 'text', value)
      return withLength(utf8.encode(value))
    case 'array':
      return encodeArray(type, value, name)
    case 'tuple':
      return encodeMembers(type.members, membersOf(type, value, name), (i) => `${name}.${type.names[i] || i}`)
  }
}

function encodeInteger(type: AbiType & { readonly kind: 'uint' | 'int' }, value: AbiInput, name: string): Uint8Array {
  const { kind, bits } = type
  const number = integerOf(value)
  if (number === undefined) throw wrong(name, 'a whole number', value)
  const fits = kind === 'uint' ? BigInt.asUintN(bits, number) === number : BigInt.asIntN(bits, number) === number
  if (!fits) throw new TypeError(`${name}: ${number} does not fit ${canonicalName(type)}`)
  return word(BigInt.asUintN(8 * WORD, number))
}

function integerOf(value: AbiInput): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' && (DECIMAL.test(value) || HEX_NUMBER.test(value)) ? BigInt(value) : undefined
}

function booleanOf(value: AbiInput, name: string): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw wrong(name, 'true or false', value)
}

/** The checksum of mixed case is verified. */
function addressOf(value: AbiInput, name: string): Uint8Array {
  const bytes = value instanceof Uint8Array ? value : undefined
  if (bytes?.length === ADDRESS_BYTES) return bytes
  if (typeof value !== 'string' || !HEX_ADDRESS.test(value)) throw wrong(name, 'an address of 20 bytes', value)
  const address = hexToBytes(value)
  const digits = value.slice(2)
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (isMixed && checksumAddress(address) !== value) throw new TypeError(`${name}: the checksum of ${value} is wrong`)
  return address
}

function bytesOf(value: AbiInput, name: string): Uint8Array {
  if (value instanceof Uint8Array) return value
  const bytes = typeof value === 'string' && value.startsWith('0x') ? tryHexToBytes(value) : undefined
  if (bytes === undefined) throw wrong(name, 'hex of whole bytes', value)
  return bytes
}

function fixedBytesOf(length: number, value: AbiInput, name: string): Uint8Array {
  const bytes = bytesOf(value, name)
  if (bytes.length !== length) throw new TypeError(`${name}: expected ${length} bytes, got ${bytes.length}`)
  return bytes
}

function encodeArray(type: AbiType & { readonly kind: 'array' }, value: AbiInput, name: string): Uint8Array {
  if (!isList(value)) throw wrong(name, 'a list', value)
  const { item, length } = type
  if (value.length > MAX_LIST_ITEMS) throw new TypeError(`${name}: a list may have at most ${MAX_LIST_ITEMS} items`)
  if (length !== undefined && value.length !== length) {
    throw new TypeError(`${name}: expected ${length} items, got ${value.length}`)
  }
  const items = encodeMembers(new Array<AbiType>(value.length).fill(item), value, (i) => `${name}[${i}]`)
  return length === undefined ? concatBytes(word(BigInt(value.length)), items) : items
}

function membersOf(
  { members, names }: AbiType & { readonly kind: 'tuple' },
  value: AbiInput,
  name: string,
): readonly AbiInput[] {
  if (isList(value)) {
    if (value.length !== members.length) {
      throw new TypeError(`${name}: expected ${members.length} members, got ${value.length}`)
    }
    return value
  }
  if (typeof value !== 'object' || value instanceof Uint8Array) throw wrong(name, 'a list or an object', value)
  const object = value as { readonly [name: string]: AbiInput }
  return names.map((member) => {
    const own = Object.hasOwn(object, member) ? object[member] : undefined
    if (own === undefined) throw new TypeError(`${name}: the member ${member || 'without a name'} is missing`)
    return own
  })
}

function isList(value: AbiInput): value is readonly AbiInput[] {
  return Array.isArray(value)
}

function wrong(name: string, expected: string, value: AbiInput | undefined): TypeError {
  return new TypeError(`${name}: expected ${expected}, got ${described(value)}`)
}

function word(value: bigint): Uint8Array {
  return bigIntToBytesPadded(value, WORD)
}

function withLength(bytes: Uint8Array): Uint8Array {
  return concatBytes(word(BigInt(bytes.length)), paddedRight(bytes))
}

function paddedRight(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD)
  padded.set(bytes)
  return padded
}
