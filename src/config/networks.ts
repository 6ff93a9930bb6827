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
  /** Only of public networks, whose chains are forked. */
  readonly chainId?: bigint
  load(): Promise<{ readonly genesis: NetworkGenesis }>
}

const NETWORKS: Readonly<Record<NetworkName, NetworkRow>> = {
  MAINNET: { networkId: 1n, chainId: 1n, load: () => import('./networks/mainnet.ts') },
  GOERLI: { networkId: 5n, chainId: 5n, load: () => import('./networks/goerli.ts') },
  SEPOLIA: { networkId: 11155111n, chainId: 11155111n, load: () => import('./networks/sepolia.ts') },
  RINKEBY: { networkId: 4n, chainId: 4n, load: () => import('./networks/rinkeby.ts') },
  DEV: { networkId: 2018n, load: () => import('./networks/dev.ts') },
  FUTURE_EIPS: { networkId: 2022n, load: () => import('./networks/futureEips.ts') },
  EXPERIMENTAL_EIPS: { networkId: 2023n, load: () => import('./networks/experimentalEips.ts') },
  CLASSIC: { networkId: 1n, chainId: 61n, load: () => import('./networks/classic.ts') },
  KOTTI: { networkId: 6n, chainId: 6n, load: () => import('./networks/kotti.ts') },
  MORDOR: { networkId: 7n, chainId: 63n, load: () => import('./networks/mordor.ts') },
}

/** The `config` section of the genesis file of a public network; undefined: no known one has this chain id. */
export async function networkConfig(chainId: bigint): Promise<Readonly<Record<string, unknown>> | undefined> {
  const row = Object.values(NETWORKS).find((each) => each.chainId === chainId)
  return (await row?.load())?.genesis.json['config'] as Readonly<Record<string, unknown>> | undefined
}

/** @param networkId overrides the network id */
export async function loadNetwork(name: NetworkName, networkId?: bigint): Promise<Genesis> {
  const row = NETWORKS[name]
  const { json, loadAlloc } = (await row.load()).genesis
  const genesis = parseGenesis(json, { networkId: networkId ?? row.networkId })
  return loadAlloc === undefined ? genesis : { ...genesis, alloc: await loadAlloc() }
}
