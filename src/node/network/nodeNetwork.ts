/**
 * The network of a node: connections to peers, the protocols on them, and the parts that use the protocols.
 * @module
 */

import type { SyncEvents } from '../../api/feeds/subscriptions.ts'
import type { SyncStatus } from '../../api/nodeInfo.ts'
import type { ConnectedPeer, PeerConnections } from '../../api/peers.ts'
import type { Signer } from '../../base/ports/signer.ts'
import type { SocketAddress, TcpSockets } from '../../base/ports/tcpSockets.ts'
import { isNodeError, NodeError } from '../../base/primitives/errors.ts'
import type { Emitter } from '../../base/primitives/events.ts'
import { hostPort } from '../../base/primitives/hostPort.ts'
import { OPTIONS } from '../../config/options.ts'
import { EthNetwork } from '../../net/eth/ethNetwork.ts'
import type { PeerSession } from '../../net/eth/sessionDeps.ts'
import { type Enode, enodeText } from '../../net/p2p/enode.ts'
import type { PeerConnection } from '../../net/p2p/peers/contract.ts'
import { type DiscoverySettings, PeerNetwork } from '../../net/p2p/peers/peerNetwork.ts'
import { storedValue } from '../../net/p2p/peers/storedValue.ts'
import { BftWire } from '../../net/protocols/bftWire.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { createPeerMeter, measurePeers } from '../peerMetrics.ts'
import type { ChainPermissions } from '../permissions/assemblePermissions.ts'
import { connectionRule, followRules, PermissionView } from '../permissions/networkPermissions.ts'
import { createNetworkUsers, type NetworkUserDeps, type NetworkUsers } from './networkUsers.ts'

export interface NetworkDeps extends Omit<NetworkUserDeps, 'peers'> {
  /** Connections to other validators; undefined: the host has its own. */
  readonly bft: BftWire | undefined
  readonly clientVersion: string
  /** undefined: permissioning is off */
  readonly permissions: Pick<ChainPermissions, 'setNetwork'> | undefined
}

export interface NetworkIdentity {
  readonly tcp: TcpSockets
  readonly signer: Signer
}

/** The network as the rest of the node sees it. */
export interface NodeNetwork extends Lifecycle, PeerConnections {
  /**
   * Listens, and connects to peers. Called once the node serves clients.
   * @throws {NodeError} LISTEN_FAILED
   */
  open(): Promise<void>
  /** Address for peers; undefined until it is open. */
  readonly local: Enode | undefined
  readonly syncStatus: SyncStatus | undefined
  readonly syncEvents: Pick<Emitter<SyncEvents>, 'on'>
}

/** @param identity sockets and key of the node */
export function openNetwork(input: NetworkDeps, identity: NetworkIdentity): NodeNetwork {
  return new LocalNetwork(input, identity)
}

/** Connections to other validators, for a host without its own. */
export function createBftWire(): BftWire {
  return new BftWire()
}

class LocalNetwork implements NodeNetwork {
  readonly name = 'network'
  readonly #input: NetworkDeps
  readonly #identity: NetworkIdentity
  readonly #eth: EthNetwork
  readonly #users: NetworkUsers
  readonly #started: Lifecycle[] = []
  /** Peers to maintain once the network is open. */
  readonly #wanted = new Map<string, Enode>()
  #network: PeerNetwork | undefined
  #isStopped = false
  #unfollow: () => void = () => {}

  constructor(input: NetworkDeps, identity: NetworkIdentity) {
    this.#input = input
    this.#identity = identity
    const { host, chain, production, settings, bft } = input
    this.#eth = new EthNetwork({
      ...host,
      chain: chain.chain,
      reader: host.store,
      pool: production.pool,
      bft,
      requiredBlocks: settings.network.requiredBlocks,
      logger: host.logger.child('peers'),
    })
    this.#users = createNetworkUsers({ ...input, peers: this.#eth })
    input.permissions?.setNetwork(this.#permissionView())
    if (host.metrics !== undefined) {
      measurePeers(host.metrics, () =>
        this.#eth.admitted.map(({ connection: { isInbound, hello } }) => ({ isInbound, clientId: hello.clientId })),
      )
    }
  }

  async open(): Promise<void> {
    if (this.#network !== undefined || this.#isStopped) return
    for (const user of this.#users.parts) {
      await user.start?.()
      this.#started.push(user)
    }
    const { host, settings, clientVersion } = this.#input
    const { tcp, signer } = this.#identity
    const { listen, limits, bannedIds } = settings.network
    const nodes = this.#input.chain.permissions?.nodes
    const { loadFrameCiphers = loadPortableCiphers, clock, timers, random, logger, metrics } = host
    const log = logger.child('peers')
    const ciphers = await loadFrameCiphers()
    const start = (address: SocketAddress) =>
      PeerNetwork.start({
        host: { clock, timers, random, signer, ciphers },
        sockets: tcp,
        log,
        listen: address,
        clientId: clientVersion,
        protocols: this.#eth,
        limits,
        bannedIds,
        permits: connectionRule(nodes),
        advertisedHost: settings.p2pHost,
        discovery: this.#discovery(),
        meter: metrics && createPeerMeter(metrics),
      })
    const network = await start(listen)
      .catch((error: unknown) => {
        if (!isNodeError(error, 'LISTEN_FAILED') || listen.port !== OPTIONS['p2p-port'].default) throw error
        log.warn('the default port for peers is in use, so a free one is taken; choose one with --p2p-port', {
          ...listen,
        })
        return start({ ...listen, port: 0 })
      })
      .catch((error: unknown) => {
        if (isNodeError(error, 'LISTEN_FAILED')) throw cannotListen(listen, error)
        throw isNodeError(error, 'INVALID_P2P_HOST') ? cannotAdvertise(error) : error
      })
    this.#network = network
    this.#unfollow = followRules(nodes, network.server)
    this.#adviseOnHost()
    for (const peer of this.#wanted.values()) network.maintain(peer)
    this.#wanted.clear()
    log.info('listening for peers', { address: hostPort(network.address), enode: enodeText(network.enode) })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unfollow()
    for (const user of this.#started.reverse()) await user.stop()
    await this.#network?.stop()
    this.#eth.close()
  }

  get local(): Enode | undefined {
    return this.#network?.enode
  }

  get syncStatus(): SyncStatus | undefined {
    return this.#users.syncStatus
  }

  get syncEvents(): Pick<Emitter<SyncEvents>, 'on'> {
    return this.#users.syncEvents
  }

  get peers(): readonly ConnectedPeer[] {
    return this.#eth.admitted.map(connectedPeer)
  }

  maintain(peer: Enode): void {
    if (this.#network === undefined) this.#wanted.set(enodeText(peer), peer)
    else this.#network.maintain(peer)
  }

  move(from: Enode, to: Enode): void {
    if (this.#network !== undefined) {
      this.#network.move(from, to)
      return
    }
    this.#wanted.delete(enodeText(from))
    this.#wanted.set(enodeText(to), to)
  }

  release(peer: Enode): void {
    this.#wanted.delete(enodeText(peer))
    this.#network?.release(peer)
  }

  #adviseOnHost(): void {
    const { host, settings } = this.#input
    const { notice, warning } = settings.p2pHostAdvice ?? {}
    const logger = host.logger.child('peers')
    if (notice !== undefined) logger.info(notice)
    if (warning !== undefined) logger.warn(warning)
  }

  #permissionView(): PermissionView {
    const { chain, host: services, settings } = this.#input
    const { p2pHost: host, network, permissions } = settings
    const id = this.#identity.signer.publicKey
    return new PermissionView({
      peers: () => this.#eth.admitted,
      chain: chain.chain,
      self: () => this.local ?? { id, host, port: network.listen.port },
      isSyncing: () => this.#users.syncStatus !== undefined,
      expectsPeers: (permissions?.bootnodes.length ?? 0) + (services.staticNodes?.length ?? 0) > 0,
    })
  }

  #discovery(): DiscoverySettings | undefined {
    const { host, settings, chain } = this.#input
    const { discovery } = settings.network
    if (discovery === undefined || host.udp === undefined) return undefined
    const { bootnodes, lists } = discovery
    const { forks } = this.#eth
    const logger = host.logger.child('peers')
    return {
      sockets: host.udp,
      bootnodes,
      lists: host.dns === undefined || lists.length === 0 ? undefined : { dns: host.dns, urls: lists },
      recordStore: storedValue(host.store, 'nodeRecord', (error) =>
        logger.error('cannot store the node record', { error }),
      ),
      keptStore: storedValue(host.store, 'keptNodes', (error) =>
        logger.error('cannot store the nodes that are kept over restarts', { error }),
      ),
      forkId: () => forks.current(chain.chain.head.header),
      acceptsForkId: (forkId) => forks.mismatch(chain.chain.head.header, forkId) === undefined,
    }
  }
}

async function loadPortableCiphers() {
  return (await import('../../net/p2p/rlpx/portableCiphers.ts')).portableCiphers
}

function cannotListen(address: SocketAddress, cause: NodeError): NodeError {
  const advice = 'choose another port with --p2p-port, or switch the network off with --p2p-enabled=false'
  const message = `cannot listen for peers on ${hostPort(address)}: ${advice} (${cause.message})`
  return new NodeError({ code: 'LISTEN_FAILED' }, message, { cause })
}

function cannotAdvertise(cause: NodeError): NodeError {
  const message = `${cause.message}: choose another address with --p2p-host, or set --discovery-enabled=false`
  return new NodeError({ code: 'INVALID_P2P_HOST' }, message, { cause })
}

function connectedPeer({ connection, version, head, headHash }: PeerSession): ConnectedPeer {
  const { hello, localAddress, remoteAddress } = connection
  return {
    version: hello.version,
    name: hello.clientId,
    capabilities: hello.capabilities.map((capability) => `${capability.name}/${capability.version}`),
    localAddress: hostPort(localAddress),
    remoteAddress: hostPort(remoteAddress),
    port: hello.port,
    enode: enodeOf(connection),
    ethVersion: version.number,
    totalDifficulty: head.totalDifficulty,
    headHash,
  }
}

/** The UDP port of an inbound peer is unknown. */
function enodeOf({ id, isInbound, hello, remoteAddress: { host, port } }: PeerConnection): Enode {
  return isInbound ? { id, host, port: hello.port, discoveryPort: 0 } : { id, host, port, discoveryPort: port }
}
