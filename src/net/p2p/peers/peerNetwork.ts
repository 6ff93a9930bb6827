/**
 * Everything that finds peers and connects to them: the server of connections, discovery, DNS node lists, and the record
 * of this node.
 * @module
 */
import { MAX_CHECKED_NODES } from '../../../base/limits/limits.ts'
import type { Dns } from '../../../base/ports/dns.ts'
import type { SocketAddress, TcpSockets } from '../../../base/ports/tcpSockets.ts'
import type { UdpSockets } from '../../../base/ports/udpSockets.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import { parseIp } from '../../../base/primitives/ipAddress.ts'
import { LruCache } from '../../../base/primitives/lruCache.ts'
import { DiscoveryService } from '../discovery/discoveryService.ts'
import { NodeLists } from '../discovery/dns/nodeLists.ts'
import type { NodeRecord } from '../discovery/nodeRecord.ts'
import { type ForkId, recordAddress, recordForkId } from '../discovery/recordEntries.ts'
import type { NodeContact } from '../discovery/table.ts'
import { contactOf, type Enode } from '../enode.ts'
import type { PeerConnection } from './contract.ts'
import { KeptNodes } from './keptNodes.ts'
import { ListedNodes } from './listedNodes.ts'
import { LocalRecord } from './localRecord.ts'
import { PeerServer, type PeerServerOptions } from './peerServer.ts'
import type { ValueStore } from './storedValue.ts'

export interface DiscoverySettings {
  readonly sockets: UdpSockets
  readonly bootnodes: readonly Enode[]
  readonly recordStore: ValueStore
  /** Nodes that are dialled first after a start. */
  readonly keptStore: ValueStore
  /** Node lists and the DNS to read them from. URLs: `enrtree://<key>@<domain>`. */
  readonly lists?: { readonly dns: Dns; readonly urls: readonly string[] } | undefined
  /** The current fork id of the chain. */
  forkId(): ForkId
  /** Whether a node with this fork id may be on the same chain. */
  acceptsForkId(forkId: ForkId): boolean
}

export interface PeerNetworkOptions extends Omit<PeerServerOptions, 'onPeerCount'> {
  readonly sockets: TcpSockets
  /** The public host of `listen`: an IP address, or a host name without discovery. */
  readonly advertisedHost: string
  /** undefined: peers are not discovered. */
  readonly discovery: DiscoverySettings | undefined
}

/** Discovery listens on the port of the server; if the system has chosen that, the UDP port may be in use. */
const PORT_ATTEMPTS = 8

export class PeerNetwork {
  readonly server: PeerServer
  readonly #options: PeerNetworkOptions
  #discovery: DiscoveryService | undefined
  #record: LocalRecord | undefined
  #lists: ListedNodes | undefined
  #kept: KeptNodes | undefined
  #listed: readonly NodeContact[] = []
  /** Keys of nodes whose fork id is compatible or unknown; until then they are in the tables, but not dialled. */
  readonly #checked = new LruCache<string, true>(MAX_CHECKED_NODES)

  private constructor(options: PeerNetworkOptions, server: PeerServer) {
    this.#options = options
    this.server = server
  }

  /** @throws {NodeError} LISTEN_FAILED, INVALID_P2P_HOST, INVALID_NODE_LIST */
  static async start(options: PeerNetworkOptions): Promise<PeerNetwork> {
    if (options.discovery !== undefined && parseIp(options.advertisedHost) === undefined) {
      throw new NodeError(
        { code: 'INVALID_P2P_HOST' },
        `discovery cannot advertise '${options.advertisedHost}', which is not an IP address`,
      )
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await PeerNetwork.#attempt(options)
      } catch (error) {
        const isChosenPort = options.listen.port === 0 && isNodeError(error, 'LISTEN_FAILED')
        if (!isChosenPort || attempt === PORT_ATTEMPTS) throw error
      }
    }
  }

  static async #attempt(options: PeerNetworkOptions): Promise<PeerNetwork> {
    const { discovery } = options
    const lists = discovery?.lists
    const nodeLists = lists && new NodeLists(lists.dns, options.host.random, lists.urls)
    let network: PeerNetwork | undefined
    const server = await PeerServer.start({ ...options, onPeerCount: () => network?.noteCount() })
    network = new PeerNetwork(options, server)
    if (discovery === undefined) return network
    try {
      await network.#startDiscovery(discovery)
    } catch (error) {
      await server.stop()
      throw error
    }
    network.noteCount()
    if (nodeLists !== undefined) network.#readLists(nodeLists)
    return network
  }

  /** Address of this node for peers. */
  get enode(): Enode {
    const { advertisedHost: host, host: identity } = this.#options
    const { port } = this.server.address
    const discoveryPort = this.#discovery?.address.port ?? 0
    return { id: identity.signer.publicKey, host, port, discoveryPort }
  }

  /** undefined without discovery */
  get record(): NodeRecord | undefined {
    return this.#record?.current
  }

  /** The listening address of the node. */
  get address(): SocketAddress {
    return this.server.address
  }

  /** Admitted peers, in the order of their admission. */
  get peers(): readonly PeerConnection[] {
    return this.server.peers
  }

  /** Connects, and connects again whenever the connection is lost, until `release`. */
  maintain(peer: Enode): void {
    this.server.maintain(contactOf(peer))
  }

  /** A maintained peer has another address. */
  move(from: Enode, to: Enode): void {
    this.server.move(contactOf(from), contactOf(to))
  }

  /** Disconnects the peer, maintained or not. */
  release(peer: Enode): void {
    this.server.release(contactOf(peer))
  }

  /** Disconnects all peers, which takes up to two seconds. */
  async stop(): Promise<void> {
    this.#lists?.stop()
    this.#kept?.stop()
    await Promise.all([this.server.stop(), this.#discovery?.close()])
  }

  /** The number of peers may have changed. */
  noteCount(): void {
    const { wantedPeers, maxPeers } = this.#options.limits
    this.#discovery?.setPeersWanted(this.server.peerCount < Math.min(wantedPeers, maxPeers))
  }

  async #startDiscovery(settings: DiscoverySettings): Promise<void> {
    const { host, advertisedHost, listen, permits } = this.#options
    const { port } = this.server.address
    const address = { host: advertisedHost, udpPort: port, tcpPort: port }
    const { signer } = host
    const record = new LocalRecord({
      signer,
      store: settings.recordStore,
      address,
      forkId: () => settings.forkId(),
    })
    this.#record = record
    this.#discovery = await DiscoveryService.start({
      ...host,
      sockets: settings.sockets,
      listen: { host: listen.host, port },
      self: address,
      bootnodes: settings.bootnodes.map(contactOf),
      share: this.#options.share,
      record: () => record.current,
      allows: (id, nodeHost) =>
        !this.server.isRefused(id) && (permits?.({ id, host: nodeHost, tcpPort: 0, udpPort: 0 }, 'discovery') ?? true),
      acceptsRecord: (remote) => this.#acceptsRecord(remote),
      onFound: ({ key }) => {
        this.#checked.set(key, true)
        this.server.noteContact()
      },
    })
    this.#kept = new KeptNodes({ ...host, store: settings.keptStore, peers: () => this.server.dialledPeers })
    const { nodes } = this.#kept
    this.#discovery.addContacts(nodes.filter(({ udpPort }) => udpPort > 0))
    this.server.dialFirst(nodes)
    this.server.setContacts(() => this.#contacts())
  }

  #acceptsRecord(record: NodeRecord): boolean {
    const forkId = recordForkId(record)
    return forkId === undefined || this.#options.discovery?.acceptsForkId(forkId) !== false
  }

  #contacts(): readonly NodeContact[] {
    const { nodes = [], recordNodes = [] } = this.#discovery ?? {}
    const checkedNodes = [...nodes, ...recordNodes].filter(({ key }) => this.#checked.get(key))
    return [...checkedNodes, ...this.#listed]
  }

  #readLists(lists: NodeLists): void {
    const { host, log } = this.#options
    this.#lists = new ListedNodes({
      timers: host.timers,
      log,
      lists,
      onRead: (all) => {
        const records = all.filter((record) => this.#acceptsRecord(record))
        // A reading without a result does not discard the previous one.
        if (records.length === 0) return
        this.#listed = records.flatMap(contactsOfRecord)
        this.#discovery?.addContacts(this.#listed.filter(({ udpPort }) => udpPort > 0))
        this.#discovery?.addRecords(records)
        this.server.noteContact()
      },
    })
  }
}

/** @returns nothing when the record has no address */
function contactsOfRecord(record: NodeRecord): readonly NodeContact[] {
  const address = recordAddress(record)
  if (address === undefined) return []
  const { host, tcpPort = 0, udpPort = 0 } = address
  return [{ id: record.publicKey, host, tcpPort, udpPort }]
}
