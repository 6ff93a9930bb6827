/**
 * The ABIs among which is searched: contracts that the node knows, those that were dropped, and standard interfaces.
 * @module
 */
import { abiItems } from '../../../../src/abi/abiItem.ts'
import { standardInterfaces } from '../../../../src/abi/standardInterfaces.ts'
import type { Ask } from '../../rpc/ask.ts'
import { offers } from '../../rpc/capabilities.ts'
import type { ContractInfo, ContractSource } from '../../rpc/isonode.ts'
import { droppedContracts } from '../../state/dropped/droppedContracts.ts'
import { hasDropped } from '../../state/dropped/hasDropped.ts'
import { capabilities } from '../../state/node.ts'
import type { Contract } from './matches.ts'

/** Each is a question to the node. */
const MAX_ASKED = 300

interface ListedContract {
  readonly id: string
  readonly name: string
  readonly sourceName: string | null
  readonly addresses: readonly string[]
}

export async function knownContracts(ask: Ask): Promise<Contract[]> {
  const [dropped, ofNode] = await Promise.all([droppedOnes(), contractsOfNode(ask)])
  return unique([...ofNode, ...dropped, ...standardOnes()])
}

/** A contract may be known to the node and be dropped on the page as well. */
function unique(contracts: readonly Contract[]): Contract[] {
  const byName = new Map<string, Contract>()
  for (const contract of contracts) {
    const key = `${contract.name} ${contract.sourceName} ${contract.address?.toLowerCase()}`
    if (!byName.has(key)) byName.set(key, contract)
  }
  return [...byName.values()]
}

async function contractsOfNode(ask: Ask): Promise<Contract[]> {
  if (!offers(capabilities.value, 'isonode')) return []
  const list = await ask<readonly ListedContract[]>('isonode_contracts').catch(() => [])
  const deployed = list.filter(({ addresses }) => addresses.length > 0)
  const others = list.filter(({ addresses }) => addresses.length === 0)
  return Promise.all([...deployed, ...others].slice(0, MAX_ASKED).map((listed) => contractOf(ask, listed)))
}

async function contractOf(ask: Ask, { id, name, sourceName, addresses }: ListedContract): Promise<Contract> {
  const [address] = addresses
  const { abi = [] } =
    (address === undefined
      ? await ask<ContractSource | null>('isonode_source', id).catch(() => null)
      : await ask<ContractInfo | null>('isonode_contractAt', address).catch(() => null)) ?? {}
  return { name, sourceName, address, items: abiItems(abi) }
}

async function droppedOnes(): Promise<Contract[]> {
  if (!hasDropped()) return []
  const { known } = await droppedContracts()
  return known.map(({ artifact, sourceName, addresses }) => ({
    name: artifact.name,
    sourceName: sourceName ?? null,
    address: addresses[0],
    items: artifact,
  }))
}

function standardOnes(): Contract[] {
  return standardInterfaces().map(({ name, functions, events, errors }) => ({
    name,
    sourceName: null,
    address: undefined,
    items: { functions, events, errors },
  }))
}
