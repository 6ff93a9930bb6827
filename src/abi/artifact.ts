/**
 * Contracts in the files that Hardhat, Foundry and the Solidity compiler write.
 * @module
 */
import { EMPTY_BYTES, tryHexToBytes } from '../base/primitives/bytes.ts'
import { type AbiItems, abiItems, isAbiEntry } from './abiItem.ts'
import { MAX_NAME_LENGTH } from './abiType.ts'
import type { Place } from './build/buildIndex.ts'
import { CodePattern } from './codePattern.ts'
import { plainText } from './plainText.ts'

/** A contract that only build information has. */
export interface BuildPlace {
  /** As `contractKey` makes it. */
  readonly key: string
  readonly abi: Place
}

export interface Artifact extends AbiItems {
  readonly name: string
  /** Path of the file, relative to its folder. */
  readonly path: string
  /** Its place in build information; undefined for a separate file. */
  readonly build: BuildPlace | undefined
  /** Name of the source file in the compilation; undefined: the file does not say. */
  readonly sourceName: string | undefined
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

const ITEM_BYTES = 512
/** Paths in artifacts are untrusted. */
const MAX_SOURCE_NAME_LENGTH = 256

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
  if (Array.isArray(json) && !abi.some(isAbiEntry)) return { kind: 'other' }
  return { kind: 'artifact', artifact: artifactOf(json as Record<string, unknown>, abi, path) }
}

function artifactOf(json: Record<string, unknown>, abi: readonly unknown[], path: string): Artifact {
  const { deployedBytecode: runtime, bytecode: creation } = json
  const build = undefined
  return createArtifact({
    name: nameOf(json, path),
    sourceName: sourceNameOf(json),
    path,
    build,
    abi,
    runtime,
    creation,
  })
}

/** The parts of a file that make an artifact; all are untrusted. */
export interface ArtifactParts extends Pick<Artifact, 'path' | 'build'> {
  readonly name: string
  readonly sourceName: string | undefined
  readonly abi: readonly unknown[]
  /** Text, or an object with the member `object`. */
  readonly runtime: unknown
  readonly creation: unknown
}

export function createArtifact({ name, sourceName, path, build, abi, ...codes }: ArtifactParts): Artifact {
  const runtime = CodePattern.of(codeOf(codes.runtime))
  const creation = CodePattern.of(codeOf(codes.creation))
  const items = abiItems(abi)
  const count = items.functions.length + items.errors.length + items.events.length
  const bytes = ITEM_BYTES * (count + 1) + (runtime?.bytes ?? 0) + (creation?.bytes ?? 0)
  return {
    ...items,
    name: plainText(name, MAX_NAME_LENGTH),
    path,
    build,
    sourceName: sourceName === undefined ? undefined : plainText(sourceName, MAX_SOURCE_NAME_LENGTH),
    runtime,
    creation,
    bytes,
  }
}

function nameOf({ contractName }: Record<string, unknown>, path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/(\.\d+)*\.json$/, '')
  return typeof contractName === 'string' && contractName !== '' ? contractName : file
}

/** Hardhat names the source; Foundry has the metadata of the compiler. */
function sourceNameOf({ sourceName, metadata }: Record<string, unknown>): string | undefined {
  const { compilationTarget } = (metadata as { settings?: { compilationTarget?: object } } | undefined)?.settings ?? {}
  return typeof sourceName === 'string' ? sourceName : Object.keys(compilationTarget ?? {})[0]
}

/** Code is a text, or the member `object` of an object; addresses of libraries may be missing. */
function codeOf(value: unknown): Uint8Array {
  const text = typeof value === 'object' && value !== null ? (value as { object?: unknown }).object : value
  if (typeof text !== 'string') return EMPTY_BYTES
  const digits = (text.startsWith('0x') ? text.slice(2) : text).replace(/__.{38}/g, '0'.repeat(40))
  return tryHexToBytes(`0x${digits}`) ?? EMPTY_BYTES
}
