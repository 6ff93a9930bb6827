/**
 * Decoded calls, errors, events and constructors as values of JSON.
 * @module
 */
import { bytesToHex } from '../base/primitives/bytes.ts'
import { checksumAddress } from '../types/address.ts'
import type { AbiItem } from './abiItem.ts'
import { type AbiType, canonicalName } from './abiType.ts'
import { type AbiValue, shortHex } from './abiValue.ts'

/** Integers are decimal text; bytes are hex; a tuple is the list of its members. */
export type ArgumentValue =
  | string
  | boolean
  | readonly ArgumentValue[]
  /** A topic that is the hash of a value with a dynamic type. */
  | { readonly hash: string }

export interface Argument {
  readonly name: string
  /** Canonical name, such as `(uint256,address)[]`. */
  readonly type: string
  readonly value: ArgumentValue
  /** Only for a topic of an event. */
  readonly indexed?: true
  /** Members of a tuple; items of an array that has tuples in it. */
  readonly components?: readonly Argument[]
}

/**
 * - `contract`: from the contract's own ABI
 * - `known`: from the ABI of another contract
 * - `standard`: from a standard interface
 */
export type Certainty = 'contract' | 'known' | 'standard'

export interface Decoded {
  readonly name: string
  /** `transfer(address,uint256)` */
  readonly signature: string
  /** Four bytes of a function or an error, the topic of an event, in hex. */
  readonly selector: string
  readonly args: readonly Argument[]
  /** Name of the contract whose ABI has it. */
  readonly contract: string | null
  readonly certainty: Certainty
}

const MAX_TEXT_LENGTH = 65_536
const MAX_BYTES = 131_072

/** @param names of the values; missing ones are empty */
export function argumentsOf(
  types: readonly AbiType[],
  values: readonly AbiValue[],
  names: readonly string[],
): readonly Argument[] {
  return types.flatMap((type, i) => {
    const value = values[i]
    return value === undefined ? [] : [argumentOf(type, value, names[i] ?? '')]
  })
}

function argumentOf(type: AbiType, value: AbiValue, name: string): Argument {
  const components = value.kind === 'list' ? componentsOf(type, value.items) : undefined
  return {
    name,
    type: canonicalName(type),
    value: jsonValue(value),
    ...(components === undefined ? {} : { components }),
  }
}

function componentsOf(type: AbiType, items: readonly AbiValue[]): readonly Argument[] | undefined {
  if (type.kind === 'tuple') return argumentsOf(type.members, items, type.names)
  if (type.kind !== 'array' || !hasTuple(type.item)) return undefined
  return items.map((item, i) => argumentOf(type.item, item, String(i)))
}

function hasTuple(type: AbiType): boolean {
  return type.kind === 'tuple' || (type.kind === 'array' && hasTuple(type.item))
}

function jsonValue(value: AbiValue): ArgumentValue {
  switch (value.kind) {
    case 'number':
      return String(value.value)
    case 'bool':
      return value.value
    case 'address':
      return checksumAddress(value.value)
    case 'bytes':
      return shortHex(value.value, MAX_BYTES)
    case 'string':
      return cutText(value.value)
    case 'list':
      return value.items.map(jsonValue)
  }
}

function cutText(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}… (${text.length} characters)`
}

/** An argument of an event whose value is not in the log, but its hash. */
export function hashedArgument(type: AbiType, topic: Uint8Array, name: string): Argument {
  return { name, type: canonicalName(type), value: { hash: bytesToHex(topic) }, indexed: true }
}

/** @param args from {@link argumentsOf} */
export function decodedItem(
  { name, signature, selector }: Pick<AbiItem, 'name' | 'signature' | 'selector'>,
  args: readonly Argument[],
  contract: string | null,
  certainty: Certainty,
): Decoded {
  return { name, signature, selector: `0x${selector}`, args, contract, certainty }
}
