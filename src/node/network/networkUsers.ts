/**
 * The parts that use the peers: synchronisation and gossip.
 * @module
 */
import type { SyncEvents } from '../../api/feeds/subscriptions.ts'
import type { SyncStatus } from '../../api/nodeInfo.ts'
import type { Emitter } from '../../base/primitives/events.ts'
import type { EthPeers } from '../../net/eth/contract.ts'
import type { GossipProgress } from '../../net/gossip/contract.ts'
import { Gossip } from '../../net/gossip/gossip.ts'
import { Synchroniser } from '../../net/sync/synchroniser.ts'
import type { BlockProduction } from '../blockProduction.ts'
import type { NodeHost } from '../host.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { ChainServices } from '../openChain.ts'
import type { NodeSettings } from '../settings/nodeSettings.ts'

/** The parts of the node that synchronisation and gossip need. */
export interface NetworkUserDeps {
  readonly peers: EthPeers
  readonly host: NodeHost
  readonly chain: ChainServices
  readonly production: BlockProduction
  readonly settings: NodeSettings
}

export interface NetworkUsers {
  /** In the order of their start, which precedes the first connection. */
  readonly parts: readonly Lifecycle[]
  /** undefined: in sync */
  readonly syncStatus: SyncStatus | undefined
  readonly syncEvents: Pick<Emitter<SyncEvents>, 'on'>
}

export function createNetworkUsers({
  peers,
  host,
  chain: { chain },
  production,
  settings,
}: NetworkUserDeps): NetworkUsers {
  const { maxPeers } = settings.network.limits
  const sync = new Synchroniser({ ...host, peers, chain, maxPeers, logger: host.logger.child('sync') })
  sync.events.on('behind', (isBehind) => production.setSynchronising(isBehind))
  const { pool } = production
  const progress = progressOf(sync)
  const gossip = new Gossip({ ...host, peers, chain, pool, progress, logger: host.logger.child('gossip') })
  return {
    parts: [sync, gossip],
    get syncStatus() {
      return sync.position
    },
    syncEvents: sync.events,
  }
}

function progressOf(sync: Synchroniser): GossipProgress {
  return {
    get isBehind() {
      return sync.isBehind
    },
    onCaughtUp: (listener) => sync.events.on('behind', (isBehind) => void (isBehind || listener())),
  }
}
