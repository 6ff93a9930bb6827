/**
 * Types of the contract ABI.
 * @see Solidity documentation, "Contract ABI Specification"
 * @module
 */
import { plainText } from './plainText.ts'

export type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'bool' | 'address' | 'bytes' | 'string' }
  | { readonly kind: 'fixedBytes'; readonly length: number }
  /** `length` undefined: dynamic */
  | { readonly kind: 'array'; readonly item: AbiType; readonly length: number | undefined }
  /** `names` of the members; empty text for an unnamed one. */
  | { readonly kind: 'tuple'; readonly members: readonly AbiType[]; readonly names: readonly string[] }

/** A parameter in an ABI file. */
export interface AbiParameter {
  readonly type: string
  readonly name?: unknown
  readonly components?: readonly AbiParameter[]
}

/** Of contracts, functions and parameters; longer names are cut or left out. */
export const MAX_NAME_LENGTH = 80
const MAX_DEPTH = 8
const MAX_MEMBERS = 64
/** Bytes of the largest static value; longer types are not decoded. */
const MAX_HEAD_BYTES = 2 ** 20
const WORD = 32

/** @returns undefined for a type that is not known */
function abiType(parameter: AbiParameter, depth = 0): AbiType | undefined {
  const { type, components = [] } = parameter
  if (typeof type !== 'string' || type.length > 256 || depth > MAX_DEPTH) return undefined
  const array = /^(.*)\[(\d{0,6})\]$/.exec(type)
  if (array !== null) return arrayType(parameter, array[1] as string, array[2] as string, depth)
  if (type === 'tuple') return tupleType(components, depth)
  return elementaryType(type)
}

function arrayType(parameter: AbiParameter, inner: string, digits: string, depth: number): AbiType | undefined {
  const item = abiType({ ...parameter, type: inner }, depth + 1)
  if (item === undefined) return undefined
  const length = digits === '' ? undefined : Number(digits)
  const type: AbiType = { kind: 'array', item, length }
  return headBytes(type) > MAX_HEAD_BYTES ? undefined : type
}

function tupleType(components: readonly AbiParameter[], depth: number): AbiType | undefined {
  const members = abiTypes(components, depth + 1)
  return members && { kind: 'tuple', members, names: parameterNames(components) }
}

/** Names of parameters that have been read as types. */
export function parameterNames(parameters: readonly AbiParameter[]): string[] {
  return parameters.map(({ name }) => (typeof name === 'string' ? plainText(name, MAX_NAME_LENGTH) : ''))
}

/** @returns undefined when one of the types is not known */
export function abiTypes(parameters: readonly AbiParameter[], depth = 0): AbiType[] | undefined {
  if (!Array.isArray(parameters) || parameters.length > MAX_MEMBERS) return undefined
  const types: AbiType[] = []
  for (const parameter of parameters) {
    const type = typeof parameter === 'object' && parameter !== null ? abiType(parameter, depth) : undefined
    if (type === undefined) return undefined
    types.push(type)
  }
  return types
}

/** `uint` and `int` are aliases; the canonical names have their width. */
export function elementaryType(name: string): AbiType | undefined {
  switch (name) {
    case 'bool':
    case 'address':
    case 'bytes':
    case 'string':
      return { kind: name }
    case 'function':
      return { kind: 'fixedBytes', length: 24 }
  }
  const [, kind, digits] = /^(uint|int|bytes)(\d{0,3})$/.exec(name) ?? []
  const size = digits === '' ? 256 : Number(digits)
  if (kind === 'bytes') return size >= 1 && size <= WORD ? { kind: 'fixedBytes', length: size } : undefined
  if (kind !== 'uint' && kind !== 'int') return undefined
  return size >= 8 && size <= 256 && size % 8 === 0 ? { kind, bits: size } : undefined
}

/** The name in signatures. */
export function canonicalName(type: AbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'fixedBytes':
      return `bytes${type.length}`
    case 'array':
      return `${canonicalName(type.item)}[${type.length ?? ''}]`
    case 'tuple':
      return `(${type.members.map(canonicalName).join()})`
    default:
      return type.kind
  }
}

export function isDynamic(type: AbiType): boolean {
  switch (type.kind) {
    case 'bytes':
    case 'string':
      return true
    case 'array':
      return type.length === undefined || isDynamic(type.item)
    case 'tuple':
      return type.members.some(isDynamic)
    default:
      return false
  }
}

/** Bytes of the type in the head of its tuple. */
export function headBytes(type: AbiType): number {
  if (isDynamic(type)) return WORD
  if (type.kind === 'array') return (type.length ?? 0) * headBytes(type.item)
  return type.kind === 'tuple' ? type.members.reduce((sum, member) => sum + headBytes(member), 0) : WORD
}
