/**
 * A variable of a source with its value, in the shape of the answers of `isonode_debugView` and `isonode_storage`.
 * @module
 */
import { bytesToBigInt, bytesToHex } from '../../base/primitives/bytes.ts'
import { checksumAddress } from '../../types/address.ts'
import { plainText } from '../plainText.ts'
import { type ValueType, valueBytes, WORD } from './solidityType.ts'

/** Decimal text for integers and enums, hex for bytes and addresses; a list for the items of an array or a struct. */
export type VariableValue = string | boolean | readonly VariableValue[]

export interface Variable {
  readonly name: string
  readonly type: string
  /** null when it is not known. A mapping has none, as only some of its keys are known. */
  readonly value: VariableValue | null
  /** As in a source; the reason when the value is not known. */
  readonly text: string
  readonly known: boolean
  readonly members?: readonly Variable[]
  readonly location?: 'storage' | 'transient' | 'memory' | 'calldata' | 'stack'
  /** Of a variable in storage, hex. */
  readonly slot?: string
  /** Bytes from the right end of the slot. */
  readonly offset?: number
}

/** Items and bytes that may still be decoded. */
export interface DecodeBudget {
  items: number
  bytes: number
}

/** Items of one array, and keys of one mapping, that are decoded. */
export const MAX_DECODED_ITEMS = 64
/** Bytes of one text or byte array that are decoded. */
export const MAX_DECODED_BYTES = 8_192
export const MAX_DECODE_DEPTH = 16
const NOT_KNOWN = 'not known'
const MAX_TEXT = 256
const MAX_ALL_ITEMS = 4_096
const MAX_ALL_BYTES = 262_144
const ADDRESS_BYTES = 20

const utf8 = new TextDecoder()

export function decodeBudget(): DecodeBudget {
  return { items: MAX_ALL_ITEMS, bytes: MAX_ALL_BYTES }
}

export function notKnown(name: string, type: string, text: string = NOT_KNOWN): Variable {
  return { name, type, value: null, text, known: false }
}

/** @param word 32 bytes, big-endian, as on the stack: bytes are at the left, numbers at the right */
export function wordVariable(name: string, type: ValueType, word: Uint8Array): Variable {
  const size = valueBytes(type)
  const bytes = type.kind === 'fixedBytes' ? word.subarray(0, size) : word.subarray(WORD - size)
  return valueVariable(name, type, bytes)
}

/** @param word 32 bytes, as in memory and in the ABI: external functions are at the left, too */
export function abiVariable(name: string, type: ValueType, word: Uint8Array): Variable {
  const isExternal = type.kind === 'function' && type.isExternal
  return isExternal ? valueVariable(name, type, word.subarray(0, valueBytes(type))) : wordVariable(name, type, word)
}

/** @param word a slot @param offset of the value, from the right end */
export function packedVariable(name: string, type: ValueType, word: Uint8Array, offset: number): Variable {
  const end = WORD - offset
  const start = end - valueBytes(type)
  return start < 0
    ? notKnown(name, type.label, 'outside its slot')
    : valueVariable(name, type, word.subarray(start, end))
}

function valueVariable(name: string, type: ValueType, bytes: Uint8Array): Variable {
  const known = (value: VariableValue, text = String(value)): Variable => ({
    name,
    type: type.label,
    value,
    text,
    known: true,
  })
  switch (type.kind) {
    case 'uint':
      return known(String(bytesToBigInt(bytes)))
    case 'int':
      return known(String(BigInt.asIntN(type.bits, bytesToBigInt(bytes))))
    case 'bool':
      return known(bytes.some((byte) => byte !== 0))
    case 'address':
      return known(bytesToHex(bytes), checksumAddress(bytes))
    case 'enum':
      return known(...enumValue(type.names, bytesToBigInt(bytes)))
    case 'function':
      return type.isExternal ? known(bytesToHex(bytes), externalFunction(bytes)) : known(String(bytesToBigInt(bytes)))
    default:
      return known(bytesToHex(bytes))
  }
}

function enumValue(names: readonly string[], value: bigint): [string, string] {
  const name = value < BigInt(names.length) ? names[Number(value)] : undefined
  return [String(value), name ?? String(value)]
}

/** @param bytes address and selector */
function externalFunction(bytes: Uint8Array): string {
  return `${checksumAddress(bytes.slice(0, ADDRESS_BYTES))}.${bytesToHex(bytes.subarray(ADDRESS_BYTES))}`
}

/** A `bytes` or `string`. */
export function bytesVariable(name: string, type: string, isText: boolean, bytes: Uint8Array): Variable {
  const value = isText ? utf8.decode(bytes) : bytesToHex(bytes)
  const shown = plainText(value, MAX_TEXT)
  return { name, type, value, text: isText ? `"${shown}"` : shown, known: true }
}

/**
 * An array or a struct.
 * @param hidden number of items that were not decoded
 */
export function listVariable(
  name: string,
  type: string,
  members: readonly Variable[],
  isTuple: boolean,
  hidden = 0n,
): Variable {
  const texts = members.map((member) => (isTuple ? `${member.name}: ${member.text}` : member.text))
  if (hidden > 0n) texts.push(`… ${hidden} more`)
  const inner = plainText(texts.join(', '), MAX_TEXT)
  const known = hidden === 0n && members.every((member) => member.known)
  const value = known ? members.map((member) => member.value ?? '') : null
  return { name, type, value, text: isTuple ? `(${inner})` : `[${inner}]`, known, members }
}
