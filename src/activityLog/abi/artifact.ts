/**
 * Contracts in the files that Hardhat, Foundry and the Solidity compiler write.
 * @module
 */
import { bytesToHexUnprefixed, EMPTY_BYTES, tryHexToBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { plainText } from '../plainText.ts'
import { type AbiParameter, type AbiType, abiTypes, canonicalName } from './abiType.ts'
import { CodePattern } from './codePattern.ts'

/** A function or error of a contract. */
export interface AbiItem {
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

/** Which messages without a known function a contract accepts, and which of them with value. */
export interface OtherEntries {
  readonly fallback: 'payable' | 'nonpayable' | undefined
  readonly hasReceive: boolean
  readonly isConstructorPayable: boolean
}

export interface Artifact {
  readonly name: string
  /** Path of the file, relative to its folder. */
  readonly path: string
  readonly functions: readonly AbiItem[]
  /** Whether `functions` has all of them; functions of libraries may have types that only the compiler knows. */
  readonly hasAllFunctions: boolean
  readonly entries: OtherEntries
  readonly errors: readonly AbiItem[]
  /** Names of the events by their first topic, in hex without prefix. */
  readonly events: ReadonlyMap<string, string>
  /** undefined for interfaces and abstract contracts */
  readonly runtime: CodePattern | undefined
  readonly creation: CodePattern | undefined
  /** Memory (estimate). */
  readonly bytes: number
}

export type ArtifactOutcome =
  | { readonly kind: 'artifact'; readonly artifact: Artifact }
  /** JSON without an ABI, such as build information. */
  | { readonly kind: 'other' }
  | { readonly kind: 'broken'; readonly reason: string }

const MAX_NAME_LENGTH = 80
const MAX_ITEMS = 2_000
const SELECTOR_DIGITS = 8
const ITEM_BYTES = 512

const utf8 = new TextEncoder()

/** @param path of the file, whose name is the contract's name if the content has none */
export function readArtifact(text: string, path: string): ArtifactOutcome {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { kind: 'broken', reason: 'it is not valid JSON' }
  }
  if (typeof json !== 'object' || json === null) return { kind: 'other' }
  const abi = Array.isArray(json) ? json : (json as { abi?: unknown }).abi
  if (abi === undefined) return { kind: 'other' }
  if (!Array.isArray(abi)) return { kind: 'broken', reason: 'its ABI is not a list' }
  if (Array.isArray(json) && !abi.some(isAbiItem)) return { kind: 'other' }
  return { kind: 'artifact', artifact: artifactOf(json as Record<string, unknown>, abi.slice(0, MAX_ITEMS), path) }
}

interface AbiEntry {
  readonly name?: unknown
  readonly inputs?: unknown
  readonly stateMutability?: unknown
  /** Before version 0.4.16 of the compiler. */
  readonly payable?: unknown
}

function isAbiItem(value: unknown): value is AbiEntry & { readonly type: string } {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

function artifactOf(json: Record<string, unknown>, abi: readonly unknown[], path: string): Artifact {
  const items = abi.filter(isAbiItem)
  const itemsOf = (type: string): AbiItem[] => items.filter((item) => item.type === type).flatMap(abiItem)
  const functions = itemsOf('function')
  const errors = itemsOf('error')
  const events = new Map(itemsOf('event').map((item) => [hashOf(item.signature), item.name]))
  const runtime = CodePattern.of(codeOf(json['deployedBytecode']))
  const creation = CodePattern.of(codeOf(json['bytecode']))
  const count = functions.length + errors.length + events.size
  const bytes = ITEM_BYTES * (count + 1) + (runtime?.bytes ?? 0) + (creation?.bytes ?? 0)
  const hasAllFunctions = functions.length === items.filter(({ type }) => type === 'function').length
  const entries = entriesOf(items)
  const name = nameOf(json, path)
  return { name, path, functions, hasAllFunctions, entries, errors, events, runtime, creation, bytes }
}

function entriesOf(items: readonly (AbiEntry & { readonly type: string })[]): OtherEntries {
  const one = (type: string) => items.find((item) => item.type === type)
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

function nameOf({ contractName }: Record<string, unknown>, path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/(\.\d+)*\.json$/, '')
  return plainText(typeof contractName === 'string' && contractName !== '' ? contractName : file, MAX_NAME_LENGTH)
}

function abiItem(entry: AbiEntry): AbiItem[] {
  const { name, inputs = [] } = entry
  if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH) return []
  const types = Array.isArray(inputs) ? abiTypes(inputs as AbiParameter[]) : undefined
  if (types === undefined) return []
  const shownName = plainText(name, MAX_NAME_LENGTH)
  const signature = `${shownName}(${types.map(canonicalName).join()})`
  const names = (inputs as { name?: unknown }[]).map((input) =>
    typeof input.name === 'string' ? plainText(input.name, MAX_NAME_LENGTH) : '',
  )
  const selector = hashOf(signature).slice(0, SELECTOR_DIGITS)
  return [{ name: shownName, signature, selector, inputs: types, names, isPayable: isPayable(entry) }]
}

function hashOf(signature: string): string {
  return bytesToHexUnprefixed(keccak256(utf8.encode(signature)))
}

/** Code is a text, or the member `object` of an object; addresses of libraries may be missing. */
function codeOf(value: unknown): Uint8Array {
  const text = typeof value === 'object' && value !== null ? (value as { object?: unknown }).object : value
  if (typeof text !== 'string') return EMPTY_BYTES
  const digits = (text.startsWith('0x') ? text.slice(2) : text).replace(/__.{38}/g, '0'.repeat(40))
  return tryHexToBytes(`0x${digits}`) ?? EMPTY_BYTES
}
