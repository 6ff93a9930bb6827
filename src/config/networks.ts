/**
 * The networks that have a name. Their genesis is loaded when it is asked for.
 * @see cli-and-config.md section 8
 * @module
 */
import { type Genesis, parseGenesis } from './genesisFile.ts'
import type { NetworkGenesis } from './networks/networkGenesis.ts'
import type { OPTIONS } from './options.ts'

export type NetworkName = (typeof OPTIONS)['network']['choices'][number]

interface NetworkRow {
  readonly networkId: bigint
  /** Whether new nodes join it with a fast kind of synchronisation by default. */
  readonly canFastSync: boolean
  /** What there is to say against it. */
  readonly deprecated?: string
  load(): Promise<{ readonly genesis: NetworkGenesis }>
}

const NETWORKS: Readonly<Record<NetworkName, NetworkRow>> = {
  MAINNET: { networkId: 1n, canFastSync: true, load: () => import('./networks/mainnet.ts') },
  GOERLI: { networkId: 5n, canFastSync: true, load: () => import('./networks/goerli.ts') },
  SEPOLIA: { networkId: 11155111n, canFastSync: true, load: () => import('./networks/sepolia.ts') },
  RINKEBY: {
    networkId: 4n,
    canFastSync: true,
    deprecated: 'Rinkeby is no longer run by anybody',
    load: () => import('./networks/rinkeby.ts'),
  },
  DEV: { networkId: 2018n, canFastSync: false, load: () => import('./networks/dev.ts') },
  FUTURE_EIPS: { networkId: 2022n, canFastSync: false, load: () => import('./networks/futureEips.ts') },
  EXPERIMENTAL_EIPS: { networkId: 2023n, canFastSync: false, load: () => import('./networks/experimentalEips.ts') },
  CLASSIC: { networkId: 1n, canFastSync: true, load: () => import('./networks/classic.ts') },
  KOTTI: { networkId: 6n, canFastSync: true, load: () => import('./networks/kotti.ts') },
  MORDOR: { networkId: 7n, canFastSync: true, load: () => import('./networks/mordor.ts') },
}

export const NETWORK_NAMES: readonly NetworkName[] = Object.keys(NETWORKS) as NetworkName[]

/** What is known of a network without its genesis. */
export function networkInfo(name: NetworkName): Pick<NetworkRow, 'networkId' | 'canFastSync' | 'deprecated'> {
  return NETWORKS[name]
}

/** @param networkId instead of the network's own */
export async function loadNetwork(name: NetworkName, networkId?: bigint): Promise<Genesis> {
  const row = NETWORKS[name]
  const { json, alloc } = (await row.load()).genesis
  const genesis = parseGenesis(json, { networkId: networkId ?? row.networkId })
  return alloc === undefined ? genesis : { ...genesis, alloc }
}
