/**
 * Contracts as the methods describe them.
 * @module
 */
import type { Artifact } from '../../abi/artifact.ts'
import { codeId, withoutMetadata } from '../../abi/codePattern.ts'
import { compilerInCode } from '../../abi/codeSelectors.ts'
import type { ContractDetails } from '../../abi/contractDetails.ts'
import { MAX_LISTED_ADDRESSES } from '../../base/limits/limits.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { checksumAddress } from '../../types/address.ts'
import type { BlockNumberOrTagOrHash } from '../blockReference.ts'
import { requireHeader } from '../lookup.ts'
import { ContractResolver, type ContractsBackend, type ResolvedContract } from './resolve.ts'

export interface ContractView {
  /** Hash of the code without metadata and inserted values, in hex. */
  readonly id: string
  readonly name: string
  readonly sourceName: string | null
  readonly matchedBy: 'code' | 'interface' | 'selectors'
  /** The contract that a proxy calls. */
  readonly implementation: string | null
  /** EIP-7702: the account whose code runs. */
  readonly delegation: string | null
  readonly abi: readonly unknown[]
  readonly selectors: readonly string[]
  readonly hasSource: boolean
  readonly hasLayout: boolean
  readonly compiler: string | null
}

export interface ListedContract {
  readonly id: string
  readonly name: string
  readonly sourceName: string | null
  readonly addresses: readonly string[]
  readonly hasSource: boolean
}

export interface ListBackend extends ContractsBackend {
  readonly yieldToHost: YieldToHost
}

/** Addresses that are looked at between two yields. */
const ADDRESSES_PER_TURN = 256
const UNKNOWN_NAME = 'unknown contract'

/**
 * @returns undefined for an account without code
 * @throws {NodeError} for an unknown block
 */
export async function contractAt(
  backend: ContractsBackend,
  address: Uint8Array,
  block: BlockNumberOrTagOrHash,
): Promise<ContractView | undefined> {
  const { contracts, chain, pending, residency } = backend
  await contracts.ready()
  const header = await retryMisses(() => requireHeader(chain, block, pending), residency)
  const contract = await new ContractResolver(backend, header).at(address)
  if (contract === undefined) return undefined
  contracts.deployments.add(address)
  const { artifact } = contract
  return contractView(contract, artifact && (await contracts.details(artifact)))
}

function contractView(contract: ResolvedContract, details: ContractDetails | undefined): ContractView {
  const { artifact, code, interfaces, selectors, name = UNKNOWN_NAME } = contract
  const stripped = withoutMetadata(code)
  return {
    id: artifact?.runtime?.id ?? codeId(stripped),
    name: artifact?.name ?? interfaces[0]?.name ?? name,
    sourceName: artifact?.sourceName ?? null,
    matchedBy: artifact !== undefined ? 'code' : interfaces.length > 0 ? 'interface' : 'selectors',
    implementation: addressText(contract.implementation),
    delegation: addressText(contract.delegation),
    abi: details?.abi ?? interfaceAbi(contract),
    selectors: selectors.map((selector) => `0x${selector}`),
    hasSource: (details?.sources?.files.size ?? 0) > 0,
    hasLayout: details?.storageLayout !== undefined,
    compiler: details?.sources?.compiler ?? compilerInCode(code) ?? null,
  }
}

/** The items of all interfaces that the contract has; of their functions, those that are in the code. */
function interfaceAbi({ interfaces, selectors }: ResolvedContract): readonly unknown[] {
  const present = new Set(selectors)
  const items = interfaces.flatMap(({ abi, functions }) =>
    abi.filter((item, i) => item.type !== 'function' || present.has(functions[i]?.selector ?? '')),
  )
  const seen = new Set<string>()
  return items.filter((item) => {
    const key = JSON.stringify([item.type, item.name, item.inputs.map(({ type, indexed }) => [type, indexed])])
    return !seen.has(key) && seen.add(key)
  })
}

function addressText(address: Uint8Array | undefined): string | null {
  return address === undefined ? null : checksumAddress(address)
}

/** All contracts with code that the folders have, and where each of them is. */
export async function contractList(backend: ListBackend): Promise<readonly ListedContract[]> {
  const { contracts, chain, residency, states, yieldToHost } = backend
  const { knowledge, deployments } = contracts
  await contracts.ready()
  await contracts.refresh()
  await retryMisses(() => deployments.read(chain, yieldToHost), residency)
  const places = new Map<string, string[]>()
  for (const [i, address] of deployments.addresses.entries()) {
    if (i % ADDRESSES_PER_TURN === ADDRESSES_PER_TURN - 1) await yieldToHost()
    const code = await retryMisses(() => states.at(chain.head)?.getCode(address) ?? EMPTY_BYTES, residency)
    const id = code.length === 0 ? undefined : knowledge.names.ofCode(code)?.runtime?.id
    if (id === undefined) continue
    const list = places.get(id) ?? []
    if (list.length < MAX_LISTED_ADDRESSES) list.push(checksumAddress(address))
    places.set(id, list)
  }
  return listed(knowledge.names.index?.artifacts ?? []).map((artifact) => ({
    id: artifact.runtime?.id ?? '',
    name: artifact.name,
    sourceName: artifact.sourceName ?? null,
    addresses: places.get(artifact.runtime?.id ?? '') ?? [],
    hasSource: knowledge.sources?.mayHaveSources(artifact) === true,
  }))
}

/** Contracts with the same code are one. */
function listed(artifacts: readonly Artifact[]): readonly Artifact[] {
  const seen = new Set<string>()
  return artifacts.filter(({ runtime }) => runtime !== undefined && !seen.has(runtime.id) && seen.add(runtime.id))
}

export interface SourceView {
  readonly id: string
  readonly name: string
  readonly sourceName: string | null
  readonly language: string
  readonly compiler: string | null
  readonly isOptimised: boolean
  readonly viaIR: boolean
  readonly abi: readonly unknown[]
  readonly storageLayout: unknown
  readonly sources: readonly { readonly id: number; readonly path: string; readonly content: string | null }[]
  /** Compressed source maps. */
  readonly runtimeMap: string | null
  readonly creationMap: string | null
}

/** @param id of a contract @returns undefined when no artifact has it */
export async function contractSource({ contracts }: ContractsBackend, id: string): Promise<SourceView | undefined> {
  await contracts.ready()
  const artifact = contracts.knowledge.names.index?.artifacts.find(({ runtime }) => runtime?.id === id)
  const details = artifact && (await contracts.details(artifact))
  if (artifact === undefined || details === undefined) return undefined
  const { abi, sources, storageLayout = null } = details
  const { compiler = null, language = 'Solidity', isOptimised = false, viaIR = false, output } = sources ?? {}
  return {
    id,
    name: artifact.name,
    sourceName: artifact.sourceName ?? null,
    language,
    compiler,
    isOptimised,
    viaIR,
    abi,
    storageLayout,
    sources: [...(sources?.paths ?? [])].map(([number, path]) => {
      return { id: number, path, content: sources?.files.get(number)?.text ?? null }
    }),
    runtimeMap: output?.runtime ?? null,
    creationMap: output?.creation ?? null,
  }
}
