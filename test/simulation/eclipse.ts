/**
 * An attacker who wants to be all that a node sees of its network. The node restarts with an empty table and
 * without its boot nodes, while 10,000 identities at four addresses, each in another site, ping it, connect to it and name
 * each other; and its honest peers leave one after the other. Table, dialler, admission and kept nodes are the node's own. The others are the least that a
 * node takes for nodes.
 */
import { nodeFrameCiphers } from '../../adapters/server/crypto/frameCiphers.ts'
import { createSigner } from '../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import type { Signer } from '../../src/base/ports/signer.ts'
import type { SocketAddress, TcpConnection } from '../../src/base/ports/tcpSockets.ts'
import type { UdpSocket } from '../../src/base/ports/udpSockets.ts'
import { ADDRESS_SHARE, type AddressShare } from '../../src/net/p2p/addressShare.ts'
import { nodeHash } from '../../src/net/p2p/discovery/nodeRecord.ts'
import { compareDistance, type NodeContact } from '../../src/net/p2p/discovery/table.ts'
import { fittingNeighbors } from '../../src/net/p2p/discovery/v4/compose.ts'
import type { Message } from '../../src/net/p2p/discovery/v4/messages.ts'
import { createPacket, isPacket, readPacket } from '../../src/net/p2p/discovery/v4/packet.ts'
import { type LinkOwner, PeerLink } from '../../src/net/p2p/peers/peerLink.ts'
import { PeerNetwork } from '../../src/net/p2p/peers/peerNetwork.ts'
import { DEFAULT_PEER_LIMITS } from '../../src/net/p2p/peers/policy.ts'
import { storedValue } from '../../src/net/p2p/peers/storedValue.ts'
import { SharedWork } from '../../src/net/p2p/peers/workAccount.ts'
import { WorkTurns } from '../../src/net/p2p/peers/workTurns.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { TestProtocol } from '../unit/net/p2p/peers/simulatedPeers.ts'
import { type NetworkQuality, SimulatedNetwork } from './network.ts'
import { Life, SimulatedWorld } from './world.ts'

export interface EclipseSettings {
  readonly seed: number
  readonly share: AddressShare
  /** Whether the node remembers good nodes over its restart. */
  readonly keepsNodes: boolean
}

export interface EclipseReport {
  readonly seed: number
  /** Outbound peers after the attack. */
  readonly honest: number
  readonly hostile: number
  /** The smallest honest part of the outbound peers, in percent, once the node has had a minute to connect. */
  readonly leastPercent: number
  readonly hostileInbound: number
}

/** Every limit per site is off. */
export const NO_SHARE: AddressShare = {
  ...ADDRESS_SHARE,
  bucketNodes: Number.POSITIVE_INFINITY,
  tableNodes: Number.POSITIVE_INFINITY,
  inboundPercent: Number.POSITIVE_INFINITY,
  outboundPercent: Number.POSITIVE_INFINITY,
  attemptBurst: Number.POSITIVE_INFINITY,
}

const QUALITY: NetworkQuality = { minLatencyMs: 5, maxLatencyMs: 60, loss: 0.02, duplication: 0, stall: 0, cut: 0 }
const START_MS = Date.UTC(2026, 0, 1)
const HONEST_NODES = 40
const IDENTITIES = 10_000
const HOSTILE_HOSTS = ['198.18.1.1', '198.18.2.1', '198.18.3.1', '198.18.4.1']
const TARGET: SocketAddress = { host: '192.0.2.1', port: 30_303 }
/** Nodes in one answer. */
const NAMED_NODES = 16
/** Long enough for nodes to be kept. */
const PEACE_MS = 16 * 60_000
const ATTACK_MS = 4 * 60_000
const PING_MS = 150
const CONNECT_MS = 2_000
/** An honest peer leaves. */
const LEAVE_MS = 10_000
const GRACE_MS = 60_000

/** A node ends no connection and has no limit. */
const OPEN_DOOR: LinkOwner = {
  isMaintained: () => false,
  onHello: () => undefined,
  onAdmission: () => undefined,
  onEnd: () => {},
  onClosed: () => {},
}

interface Identity {
  readonly signer: Signer
  readonly hash: Uint8Array
  readonly contact: NodeContact
  socket: UdpSocket | undefined
}

type Computer = ReturnType<SimulatedNetwork['attach']> & { readonly life: Life }

/** Nodes of one owner, who names only them. */
class Crowd {
  readonly identities: readonly Identity[]
  readonly protocol = new TestProtocol()
  readonly #world: SimulatedWorld
  readonly #network: SimulatedNetwork
  readonly #work = new SharedWork(0)
  /** By host. */
  readonly #computers = new Map<string, Computer>()

  constructor(world: SimulatedWorld, network: SimulatedNetwork, addresses: readonly SocketAddress[]) {
    this.#world = world
    this.#network = network
    const random = world.random.fork()
    this.identities = addresses.map(({ host, port }) => {
      const signer = createSigner(random)
      const contact = { id: signer.publicKey, host, udpPort: port, tcpPort: port }
      return { signer, contact, hash: nodeHash(contact.id), socket: undefined }
    })
  }

  async start(): Promise<void> {
    for (const identity of this.identities) {
      const { host, udpPort: port } = identity.contact
      const computer = this.#computers.get(host) ?? this.#computer(host)
      identity.socket = await computer.udp.bind({ host, port }, (bytes, from) => this.#receive(identity, bytes, from))
      await computer.tcp.listen({ host, port }, (connection) => this.#link(identity, connection, undefined))
    }
  }

  connect(identity: Identity, to: NodeContact): void {
    const address = { host: to.host, port: to.tcpPort }
    const connection = this.#computers.get(identity.contact.host)?.tcp.connect(address, { timeoutMs: 1_000 })
    connection?.then(
      (opened) => this.#link(identity, opened, to),
      () => {},
    )
  }

  #computer(host: string): Computer {
    const life = new Life(this.#world, host, START_MS)
    const computer = { life, ...this.#network.attach(life, host) }
    this.#computers.set(host, computer)
    return computer
  }

  ping({ signer, contact, socket }: Identity, to: SocketAddress): void {
    const { host, udpPort, tcpPort } = contact
    const target = { host: to.host, udpPort: to.port, tcpPort: 0 }
    const message = { type: 'ping', from: { host, udpPort, tcpPort }, to: target, ...this.#rest } as const
    socket?.send(createPacket(signer, message).bytes, to)
  }

  get #rest() {
    return { expiration: Math.floor((START_MS + this.#world.now) / 1000) + 60, enrSeq: undefined } as const
  }

  #receive(identity: Identity, bytes: Uint8Array, from: SocketAddress): void {
    const packet = isPacket(bytes) ? readPacket(bytes) : undefined
    if (packet === undefined) return
    const { message, hash } = packet
    const answer = (reply: Message): void => identity.socket?.send(createPacket(identity.signer, reply).bytes, from)
    if (message.type === 'ping') {
      const to = { host: from.host, udpPort: from.port, tcpPort: 0 }
      answer({ type: 'pong', to, pingHash: hash, ...this.#rest })
      this.ping(identity, from)
    } else if (message.type === 'findNode') {
      const nodes = fittingNeighbors(this.#nearest(nodeHash(message.target)))
      answer({ type: 'neighbors', nodes, expiration: this.#rest.expiration })
    }
  }

  #nearest(target: Uint8Array): readonly NodeContact[] {
    const nearest: Identity[] = []
    for (const identity of this.identities) {
      let at = nearest.length
      while (at > 0 && compareDistance(target, identity.hash, (nearest[at - 1] as Identity).hash) < 0) at--
      if (at < NAMED_NODES) nearest.splice(at, 0, identity)
      nearest.length = Math.min(nearest.length, NAMED_NODES)
    }
    return nearest.map(({ contact }) => contact)
  }

  #link({ signer, contact }: Identity, connection: TcpConnection, dialled: NodeContact | undefined): void {
    const { clock, timers } = (this.#computers.get(contact.host) as Computer).life
    const host = { signer, random: this.#world.random, ciphers: nodeFrameCiphers, clock, timers }
    const local = { clientId: 'crowd', port: 0, capabilities: this.protocol.offered }
    const [owner, work, turns] = [OPEN_DOOR, this.#work, new WorkTurns(timers)]
    new PeerLink(host, { connection, dialled, local, protocols: this.protocol, owner, work, turns }, 0).start()
  }
}

export async function runEclipse({ seed, share, keepsNodes }: EclipseSettings): Promise<EclipseReport> {
  const world = new SimulatedWorld(seed, 5_000_000)
  const network = new SimulatedNetwork(world, QUALITY)
  const honest = new Crowd(
    world,
    network,
    Array.from({ length: HONEST_NODES }, (_, i) => ({ host: `203.0.${i}.1`, port: 30_303 })),
  )
  const hostile = new Crowd(
    world,
    network,
    Array.from({ length: IDENTITIES }, (_, i) => ({
      host: HOSTILE_HOSTS[i % HOSTILE_HOSTS.length] as string,
      port: 10_000 + Math.floor(i / HOSTILE_HOSTS.length),
    })),
  )
  await honest.start()
  await hostile.start()
  const signer = createSigner(world.random.fork())
  const store = new MemoryStore()
  const target = { id: signer.publicKey, host: TARGET.host, udpPort: TARGET.port, tcpPort: TARGET.port }

  const begin = async (bootnodes: readonly Identity[]) => {
    const life = new Life(world, TARGET.host, START_MS)
    const { tcp, udp } = network.attach(life, TARGET.host)
    const random = world.random.fork()
    const noError = (error: unknown): never => {
      throw error
    }
    const peers = await PeerNetwork.start({
      host: { signer, random, ciphers: nodeFrameCiphers, clock: life.clock, timers: life.timers },
      sockets: tcp,
      log: silentLogger,
      listen: TARGET,
      advertisedHost: TARGET.host,
      clientId: 'target',
      protocols: new TestProtocol(),
      limits: DEFAULT_PEER_LIMITS,
      bannedIds: [],
      share,
      discovery: {
        sockets: udp,
        bootnodes: bootnodes.map(({ contact: { id, host, udpPort, tcpPort } }) => {
          return { id, host, port: tcpPort, discoveryPort: udpPort }
        }),
        recordStore: storedValue(store, 'nodeRecord', noError),
        keptStore: keepsNodes ? storedValue(store, 'keptNodes', noError) : { load: () => undefined, save: () => {} },
        forkId: () => ({ hash: new Uint8Array(4), next: 0n }),
        acceptsForkId: () => true,
      },
    })
    return { life, peers }
  }

  const first = await begin(honest.identities.slice(0, 2))
  await world.pass(PEACE_MS)
  void first.peers.stop()
  await world.pass(3_000)
  first.life.end()
  network.detach(TARGET.host)

  // The attacker has noticed the restart.
  const start = world.now
  const repeat = (everyMs: number, act: () => void): void => {
    world.schedule(everyMs, 'repeat', () => {
      act()
      if (world.now - start < ATTACK_MS) repeat(everyMs, act)
    })
  }
  let next = 0
  const nextIdentity = (): Identity => hostile.identities[next++ % IDENTITIES] as Identity
  repeat(PING_MS, () => hostile.ping(nextIdentity(), TARGET))
  repeat(CONNECT_MS, () => hostile.connect(nextIdentity(), target))
  await world.pass(200)
  const { peers } = await begin([])
  const isHostile = (host: string): boolean => HOSTILE_HOSTS.includes(host)
  const count = (isInbound: boolean, isOfAttacker: boolean): number =>
    peers.peers.filter((peer) => peer.isInbound === isInbound && isHostile(peer.remoteAddress.host) === isOfAttacker)
      .length
  repeat(LEAVE_MS, () => {
    const leaving = peers.peers.filter((peer) => !peer.isInbound && !isHostile(peer.remoteAddress.host))
    leaving[world.random.below(leaving.length)]?.disconnect('requested')
  })
  let leastPercent = 100
  repeat(1_000, () => {
    const [good, bad] = [count(false, false), count(false, true)]
    if (world.now - start >= GRACE_MS) leastPercent = Math.min(leastPercent, (100 * good) / Math.max(1, good + bad))
  })
  await world.pass(ATTACK_MS)
  return {
    seed,
    honest: count(false, false),
    hostile: count(false, true),
    leastPercent: Math.round(leastPercent),
    hostileInbound: count(true, true),
  }
}
