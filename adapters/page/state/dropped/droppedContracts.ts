/**
 * The contracts that the reader dropped on the page, for the present chain.
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import { AbiIndex } from '../../../../src/abi/abiIndex.ts'
import type { Artifact } from '../../../../src/abi/artifact.ts'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { isData } from '../../format/hex.ts'
import { genesisHash } from '../live.ts'
import { forgetMeanings } from '../meaning.ts'
import { writeSetting } from '../settings.ts'
import { type DroppedContract, readContract } from './droppedFile.ts'
import { removeContract, type StoredContract, storeContracts, storedContracts } from './droppedStore.ts'
import { DROPPED } from './hasDropped.ts'

export interface Known extends StoredContract {
  readonly artifact: Artifact
}

interface Loaded {
  readonly genesis: string
  readonly known: readonly Known[]
  readonly index: AbiIndex
}

/** Of one contract. */
const MAX_ADDRESSES = 100

const NOTHING: Loaded = { genesis: '', known: [], index: new AbiIndex([]) }

/** The newest first. */
export const dropped: Signal<readonly Known[]> = signal([])

let loaded: Promise<Loaded> = Promise.resolve(NOTHING)
let loadedGenesis = ''

/** All of the present chain. They are read once. */
export function droppedContracts(): Promise<Loaded> {
  const genesis = genesisHash.value
  if (genesis === undefined) return Promise.resolve(NOTHING)
  if (genesis !== loadedGenesis) reload(genesis)
  return loaded
}

/** @param contracts with code @returns how many were kept */
export async function keepContracts(
  contracts: readonly DroppedContract[],
  addresses: readonly string[] = [],
): Promise<number> {
  const genesis = genesisHash.value
  if (genesis === undefined) throw new TypeError('The chain is not known yet.')
  const { known } = await droppedContracts()
  const addedAt = Date.now()
  const stored = contracts.flatMap(({ artifact, text }): StoredContract[] => {
    const { name, sourceName, runtime } = artifact
    if (runtime === undefined) return []
    const before = known.find(({ id }) => id === runtime.id)?.addresses ?? []
    const all = [...new Set([...before, ...addresses])].slice(-MAX_ADDRESSES)
    return [{ genesis, id: runtime.id, name, sourceName, text, addresses: all, addedAt }]
  })
  await storeContracts(genesis, stored)
  writeSetting(DROPPED, 'yes')
  await changed(genesis)
  return stored.length
}

export async function forgetContract(contract: Known): Promise<void> {
  await removeContract(contract)
  await changed(contract.genesis)
}

/** Notes where codes were found. @param codes by address */
export async function noteDeployments(codes: ReadonlyMap<string, string>): Promise<void> {
  const { genesis, index, known } = await droppedContracts()
  const found = new Map<Known, Set<string>>()
  for (const [address, code] of codes) {
    if (!isData(code)) continue
    const artifact = index.contract(hexToBytes(code))
    const contract = known.find((one) => one.artifact === artifact)
    if (contract === undefined || contract.addresses.includes(address)) continue
    found.set(contract, (found.get(contract) ?? new Set(contract.addresses)).add(address))
  }
  if (found.size === 0) return
  const stored = Array.from(found, ([{ artifact: _, ...contract }, addresses]) => ({
    ...contract,
    addresses: [...addresses].slice(-MAX_ADDRESSES),
  }))
  await storeContracts(genesis, stored)
  await changed(genesis)
}

async function changed(genesis: string): Promise<void> {
  reload(genesis)
  await loaded
  forgetMeanings()
}

function reload(genesis: string): void {
  loadedGenesis = genesis
  loaded = read(genesis)
}

async function read(genesis: string): Promise<Loaded> {
  const stored = await storedContracts(genesis)
  const known = stored.flatMap((contract): Known[] => {
    const artifact = readContract(JSON.parse(contract.text), contract.name)?.artifact
    return artifact === undefined ? [] : [{ ...contract, artifact }]
  })
  dropped.value = known
  return { genesis, known, index: new AbiIndex(known.map(({ artifact }) => artifact)) }
}
