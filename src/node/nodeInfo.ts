import type { NodeInfo, ServiceAddress, ServiceName } from '../api/nodeInfo.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { Health } from '../http/readiness.ts'
import type { NodeHost } from './host.ts'
import type { NodeSettings } from './settings.ts'

export const VERSION = '0.1.0'

/** Hardhat's network helpers only accept nodes with this client name. */
const DEV_CLIENT_PREFIX = 'anvil/'

/** eth/68 */
const PROTOCOL_VERSION = 68

/** The node information that methods and readiness share. */
export interface RunningInfo extends NodeInfo {
  announce(service: ServiceName, address: ServiceAddress): void
}

/** @param isExtended whether blocks are produced here or arrive from elsewhere; miners may start later */
export function createNodeInfo(
  { platform, signer }: Pick<NodeHost, 'platform' | 'signer'>,
  config: ChainConfig,
  { identity, isDev, p2pEnabled, p2pHost, p2pPort, discoveryEnabled }: NodeSettings,
  isExtended: () => boolean = () => true,
): RunningInfo {
  const name = identity === undefined ? 'isonode' : `isonode/${identity}`
  const services: Partial<Record<ServiceName, ServiceAddress>> = {}
  return {
    clientVersion: `${isDev ? DEV_CLIENT_PREFIX : ''}${name}/v${VERSION}/${platform}`,
    networkId: config.networkId,
    // Clients consider a node without a listener as not ready; the dev chain needs no peers.
    network: {
      enabled: p2pEnabled,
      needsPeers: !isDev,
      listening: isDev,
      peerCount: 0,
      // Computing the public key takes time that the start saves.
      get local() {
        return (
          signer && {
            id: signer.publicKey,
            host: p2pHost,
            port: p2pPort,
            discoveryPort: discoveryEnabled ? p2pPort : 0,
          }
        )
      },
    },
    get isExtended() {
      return isExtended()
    },
    services,
    syncStatus: undefined,
    protocolVersion: PROTOCOL_VERSION,
    announce: (service, address) => {
      services[service] = address
    },
  }
}

/** Readiness, consistent with `net_*` and `eth_syncing`. */
export function healthOf(info: NodeInfo): Health {
  return {
    get isExtended() {
      return info.isExtended
    },
    get p2pEnabled() {
      return info.network.enabled && info.network.needsPeers
    },
    get peerCount() {
      return info.network.peerCount
    },
    get blocksBehind() {
      const { syncStatus } = info
      return syncStatus === undefined ? 0 : Number(syncStatus.highestBlock - syncStatus.currentBlock)
    },
  }
}
