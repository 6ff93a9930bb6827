import type { NodeInfo, ServiceAddress, ServiceName } from '../api/nodeInfo.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { Health } from '../http/readiness.ts'
import type { NodeHost } from './host.ts'
import type { NodeNetwork } from './network/nodeNetwork.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import type { StandstillWatch } from './standstill.ts'
import { VERSION } from './version.ts'

/** Hardhat's network helpers only accept nodes with this client name. */
const DEV_CLIENT_PREFIX = 'anvil/'

/** eth/68 */
const PROTOCOL_VERSION = 68

/** The node information that methods and readiness share. */
export interface RunningInfo extends NodeInfo {
  announce(service: ServiceName, address: ServiceAddress): void
}

/** `name/version/os-arch/runtime` */
export function clientVersion(
  { platform }: Pick<NodeHost, 'platform'>,
  { identity, isDev }: Pick<NodeSettings, 'identity' | 'isDev'>,
): string {
  const name = identity === undefined ? 'isonode' : `isonode/${identity}`
  return `${isDev ? DEV_CLIENT_PREFIX : ''}${name}/v${VERSION}/${platform}`
}

/** The parts of a node whose state its information shows. */
export interface NodeInfoDeps {
  /** Whether blocks are produced here; miners may start later. */
  isExtending(): boolean
  /** undefined without a network */
  readonly network: Pick<NodeNetwork, 'local' | 'peers' | 'syncStatus'> | undefined
  /** undefined: blocks are not due at any time */
  readonly watch: Pick<StandstillWatch, 'reason'> | undefined
}

const NO_PARTS: NodeInfoDeps = { isExtending: () => true, network: undefined, watch: undefined }

export function createNodeInfo(
  host: Pick<NodeHost, 'platform' | 'signer'>,
  config: ChainConfig,
  settings: NodeSettings,
  { isExtending, network, watch }: NodeInfoDeps = NO_PARTS,
): RunningInfo {
  const { signer } = host
  const { isDev, p2pEnabled, p2pHost, p2pPort, discoveryEnabled } = settings
  const services: Partial<Record<ServiceName, ServiceAddress>> = {}
  return {
    clientVersion: clientVersion(host, settings),
    networkId: config.networkId,
    // Clients consider a node without a listener as not ready; the dev chain needs no peers.
    network: {
      enabled: p2pEnabled,
      needsPeers: !isDev,
      get listening() {
        return isDev || network?.local !== undefined
      },
      get peerCount() {
        return network?.peers.length ?? 0
      },
      get local() {
        if (network !== undefined) return network.local
        // Computing the public key takes time that the start saves.
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
      return network !== undefined || isExtending()
    },
    get services() {
      const local = network?.local
      return local === undefined ? services : { ...services, p2p: { host: local.host, port: local.port } }
    },
    get syncStatus() {
      return network?.syncStatus
    },
    get standstill() {
      return watch?.reason
    },
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
    get standstill() {
      return info.standstill
    },
    get blocksBehind() {
      const { syncStatus } = info
      return syncStatus === undefined ? 0 : Number(syncStatus.highestBlock - syncStatus.currentBlock)
    },
  }
}
