/**
 * The named networks. The genesis of each is loaded on demand.
 * @see docs/reference/cli-and-config.md section 8
 * @module
 */
import { type Genesis, parseGenesis } from './genesisFile.ts'
import type { NetworkGenesis } from './networks/networkGenesis.ts'
import type { OPTIONS } from './options.ts'

export type NetworkName = (typeof OPTIONS)['network']['choices'][number]

interface NetworkRow {
  readonly networkId: bigint
  load(): Promise<{ readonly genesis: NetworkGenesis }>
}

const NETWORKS: Readonly<Record<NetworkName, NetworkRow>> = {
  MAINNET: { networkId: 1n, load: () => import('./networks/mainnet.ts') },
  GOERLI: { networkId: 5n, load: () => import('./networks/goerli.ts') },
  SEPOLIA: { networkId: 11155111n, load: () => import('./networks/sepolia.ts') },
  RINKEBY: { networkId: 4n, load: () => import('./networks/rinkeby.ts') },
  DEV: { networkId: 2018n, load: () => import('./networks/dev.ts') },
  FUTURE_EIPS: { networkId: 2022n, load: () => import('./networks/futureEips.ts') },
  EXPERIMENTAL_EIPS: { networkId: 2023n, load: () => import('./networks/experimentalEips.ts') },
  CLASSIC: { networkId: 1n, load: () => import('./networks/classic.ts') },
  KOTTI: { networkId: 6n, load: () => import('./networks/kotti.ts') },
  MORDOR: { networkId: 7n, load: () => import('./networks/mordor.ts') },
}

/** @param networkId overrides the network id */
export async function loadNetwork(name: NetworkName, networkId?: bigint): Promise<Genesis> {
  const row = NETWORKS[name]
  const { json, loadAlloc } = (await row.load()).genesis
  const genesis = parseGenesis(json, { networkId: networkId ?? row.networkId })
  return loadAlloc === undefined ? genesis : { ...genesis, alloc: await loadAlloc() }
}
