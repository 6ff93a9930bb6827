/**
 * Nodes with connections to peers on the simulated network. Their protocol is one message, which each side sends first;
 * a peer is admitted when it arrives.
 * @module
 */
import { nodeFrameCiphers } from '../../../../../adapters/server/crypto/frameCiphers.ts'
import { createSigner } from '../../../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import type { TcpSockets } from '../../../../../src/base/ports/tcpSockets.ts'
import type { UdpSockets } from '../../../../../src/base/ports/udpSockets.ts'
import type { NodeContact } from '../../../../../src/net/p2p/discovery/table.ts'
import { nodeKey } from '../../../../../src/net/p2p/discovery/table.ts'
import type { PeerConnection, PeerProtocols } from '../../../../../src/net/p2p/peers/contract.ts'
import { PeerServer, type PeerServerOptions } from '../../../../../src/net/p2p/peers/peerServer.ts'
import { DEFAULT_PEER_LIMITS, type PeerLimits } from '../../../../../src/net/p2p/peers/policy.ts'
import type { OfferedCapability } from '../../../../../src/net/p2p/rlpx/capabilities.ts'
import type { SessionEnd, SessionHost } from '../../../../../src/net/p2p/rlpx/sessionContract.ts'
import { FAIR_NETWORK, type NetworkQuality, SimulatedNetwork } from '../../../../simulation/network.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { Life, SimulatedWorld } from '../../../../simulation/world.ts'

export const PORT = 30303
export const CAPABILITY: OfferedCapability = { name: 'test', version: 1, length: 4 }
const STATUS = 0
/** Longest message of the protocol. */
const MAX_BYTES = 1_000_000
/** Without loss and delays beyond the latency. */
export const CALM: NetworkQuality = { ...FAIR_NETWORK, stall: 0, cut: 0 }

/** One connection, as the protocol saw it. */
export interface SeenConnection {
  readonly connection: PeerConnection
  readonly messages: { readonly code: number; readonly payload: Uint8Array }[]
  isAdmitted: boolean
  end: SessionEnd | undefined
}

export class TestProtocol implements PeerProtocols {
  readonly offered: readonly OfferedCapability[] = [CAPABILITY]
  readonly seen: SeenConnection[] = []
  /** false: the other side waits for the message in vain. */
  isAnswering = true

  open(connection: PeerConnection) {
    const seen: SeenConnection = { connection, messages: [], isAdmitted: false, end: undefined }
    this.seen.push(seen)
    const [capability] = connection.capabilities
    if (this.isAnswering && capability !== undefined) connection.send(capability, STATUS, Uint8Array.of(0xc0))
    return {
      maxBytes: () => MAX_BYTES,
      onMessage: (_: unknown, code: number, payload: Uint8Array): void => {
        if (code === STATUS) seen.isAdmitted = connection.admit()
        else seen.messages.push({ code, payload })
      },
      onDrain: (): void => {},
      onClose: (end: SessionEnd): void => {
        if (seen.end !== undefined) throw new Error('closed twice')
        seen.end = end
      },
    }
  }
}

export interface Computer {
  /** Its address. */
  readonly name: string
  readonly life: Life
  readonly host: SessionHost
  readonly sockets: TcpSockets
  readonly udp: UdpSockets
}

export interface TestPeer extends Computer {
  readonly protocol: TestProtocol
  readonly server: PeerServer
  readonly contact: NodeContact
}

export interface PeerSettings extends Partial<Pick<PeerServerOptions, 'permits' | 'bannedIds'>> {
  readonly limits?: Partial<PeerLimits>
  readonly signer?: SessionHost['signer']
  readonly host?: string
  readonly wrapSockets?: (sockets: TcpSockets) => TcpSockets
}

export class PeerWorld {
  readonly world: SimulatedWorld
  readonly network: SimulatedNetwork
  #hosts = 0

  constructor(seed: number, quality: NetworkQuality = CALM) {
    this.world = new SimulatedWorld(seed)
    this.network = new SimulatedNetwork(this.world, quality)
  }

  /** A computer without a node. */
  computer(host: string = this.#nextHost(), signer?: SessionHost['signer']): Computer {
    const life = new Life(this.world, host, 0)
    const random = new SeededRandom(this.world.random.uint32())
    const own = signer ?? createSigner(random)
    const session = { signer: own, random, ciphers: nodeFrameCiphers, clock: life.clock, timers: life.timers }
    const { tcp: sockets, udp } = this.network.attach(life, host)
    return { life, host: session, sockets, udp, name: host }
  }

  async start({ limits, signer, host, wrapSockets, ...settings }: PeerSettings = {}): Promise<TestPeer> {
    const computer = this.computer(host, signer)
    const protocol = new TestProtocol()
    const server = await PeerServer.start({
      ...computer,
      ...(wrapSockets === undefined ? {} : { sockets: wrapSockets(computer.sockets) }),
      log: silentLogger,
      listen: { host: computer.name, port: PORT },
      clientId: `test/${computer.name}`,
      protocols: protocol,
      limits: { ...DEFAULT_PEER_LIMITS, ...limits },
      bannedIds: [],
      ...settings,
    })
    const contact = { id: computer.host.signer.publicKey, host: computer.name, tcpPort: PORT, udpPort: PORT }
    return { ...computer, protocol, server, contact }
  }

  /** Runs until a condition holds. */
  async until(holds: () => boolean, maxMs = 60_000): Promise<boolean> {
    return await this.world.run(holds, this.world.now + maxMs)
  }

  #nextHost(): string {
    this.#hosts++
    return `10.0.${this.#hosts >> 8}.${this.#hosts & 255}`
  }
}

/** Whether a node has another one among its peers. */
export function isPeer(a: TestPeer, b: TestPeer): boolean {
  return a.server.peers.some(({ key }) => key === nodeKey(b.contact.id))
}

export const areConnected = (a: TestPeer, b: TestPeer): boolean => isPeer(a, b) && isPeer(b, a)

/** How the connections that a node has seen have ended. */
export const endsOf = ({ protocol }: TestPeer): (string | undefined)[] =>
  protocol.seen.map(({ end }) => end && `${end.reason} by ${end.by}`)
