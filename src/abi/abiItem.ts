/**
 * Functions, errors, events and constructors of an ABI in JSON.
 * @module
 */
import { bytesToHexUnprefixed } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { type AbiParameter, type AbiType, abiTypes, canonicalName, MAX_NAME_LENGTH, parameterNames } from './abiType.ts'
import { plainText } from './plainText.ts'

/** A function, error or event of a contract, or its constructor. */
export interface AbiItem {
  /** `constructor` for a constructor */
  readonly name: string
  /** `transfer(address,uint256)` */
  readonly signature: string
  /** First four bytes of the signature's hash, in hex without prefix. */
  readonly selector: string
  readonly inputs: readonly AbiType[]
  /** Names of the inputs; empty text for an unnamed one. */
  readonly names: readonly string[]
  /** Whether it accepts value. */
  readonly isPayable: boolean
}

export interface AbiEvent extends AbiItem {
  /** Hash of the signature, in hex without prefix. */
  readonly topic: string
  /** For each input, whether it is a topic. */
  readonly indexed: readonly boolean[]
  /** Whether the first topic is that of an input. */
  readonly isAnonymous: boolean
}

/** Which messages without a known function a contract accepts, and which of them with value. */
export interface OtherEntries {
  readonly fallback: 'payable' | 'nonpayable' | undefined
  readonly hasReceive: boolean
  readonly isConstructorPayable: boolean
}

/** The known parts of an ABI. */
export interface AbiItems {
  readonly functions: readonly AbiItem[]
  /** Whether `functions` has all of them; functions of libraries may have types that only the compiler knows. */
  readonly hasAllFunctions: boolean
  readonly entries: OtherEntries
  readonly errors: readonly AbiItem[]
  readonly events: readonly AbiEvent[]
  /** undefined: it has no parameters */
  readonly creator: AbiItem | undefined
}

const MAX_ITEMS = 2_000
const SELECTOR_DIGITS = 8

const utf8 = new TextEncoder()

interface AbiEntry {
  readonly type: string
  readonly name?: unknown
  readonly inputs?: unknown
  readonly stateMutability?: unknown
  /** Before version 0.4.16 of the compiler. */
  readonly payable?: unknown
  readonly anonymous?: unknown
}

export function isAbiEntry(value: unknown): value is AbiEntry {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/** @param abi list of an ABI in JSON; entries with names or types that are too long or not known are left out */
export function abiItems(abi: readonly unknown[]): AbiItems {
  const all = abi.slice(0, MAX_ITEMS).filter(isAbiEntry)
  const entriesOf = (type: string): AbiEntry[] => all.filter((entry) => entry.type === type)
  const functions = entriesOf('function').flatMap(itemOf)
  const creator = entriesOf('constructor')[0]
  return {
    functions,
    hasAllFunctions: functions.length === entriesOf('function').length,
    entries: otherEntries(all),
    errors: entriesOf('error').flatMap(itemOf),
    events: entriesOf('event').flatMap(eventOf),
    creator: creator && itemOf({ ...creator, name: 'constructor' })[0],
  }
}

function otherEntries(all: readonly AbiEntry[]): OtherEntries {
  const one = (type: string): AbiEntry | undefined => all.find((entry) => entry.type === type)
  const fallback = one('fallback')
  // A contract without a constructor in its source accepts no value.
  const creation = one('constructor')
  return {
    fallback: fallback && (isPayable(fallback) ? 'payable' : 'nonpayable'),
    hasReceive: one('receive') !== undefined,
    isConstructorPayable: creation !== undefined && isPayable(creation),
  }
}

function isPayable({ stateMutability, payable }: AbiEntry): boolean {
  return stateMutability === 'payable' || payable === true
}

function itemOf(entry: AbiEntry): AbiItem[] {
  const { name, inputs = [] } = entry
  if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH) return []
  const types = Array.isArray(inputs) ? abiTypes(inputs as AbiParameter[]) : undefined
  if (types === undefined) return []
  const shownName = plainText(name, MAX_NAME_LENGTH)
  const signature = `${shownName}(${types.map(canonicalName).join()})`
  const names = parameterNames(inputs as AbiParameter[])
  const selector = hashOf(signature).slice(0, SELECTOR_DIGITS)
  return [{ name: shownName, signature, selector, inputs: types, names, isPayable: isPayable(entry) }]
}

function eventOf(entry: AbiEntry): AbiEvent[] {
  const inputs = (entry.inputs ?? []) as readonly { readonly indexed?: unknown }[]
  return itemOf(entry).map((item) => ({
    ...item,
    topic: hashOf(item.signature),
    indexed: inputs.map(({ indexed }) => indexed === true),
    isAnonymous: entry.anonymous === true,
  }))
}

function hashOf(signature: string): string {
  return bytesToHexUnprefixed(keccak256(utf8.encode(signature)))
}
