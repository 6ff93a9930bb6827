/**
 * The parts that use the peers: synchronisation and gossip.
 * @module
 */
import type { SyncStatus } from '../api/nodeInfo.ts'
import type { EthPeers } from '../network/contract.ts'
import type { BlockProduction } from './blockProduction.ts'
import type { ChainParts } from './chainParts.ts'
import type { NodeHost } from './host.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { NodeSettings } from './settings.ts'

/** What they are built from. */
export interface NetworkUse {
  readonly peers: EthPeers
  readonly host: NodeHost
  readonly chain: ChainParts
  readonly production: BlockProduction
  readonly settings: NodeSettings
}

export interface NetworkUsers {
  /** In the order of their start, which precedes the first connection. */
  readonly parts: readonly Lifecycle[]
  /** undefined: in sync */
  readonly syncStatus: SyncStatus | undefined
}

export function createNetworkUsers(_use: NetworkUse): NetworkUsers {
  return { parts: [], syncStatus: undefined }
}
