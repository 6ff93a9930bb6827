import type { TcpConnection, TcpSockets } from '../../../../../src/base/ports/tcpSockets.ts'
import { concatBytes } from '../../../../../src/base/primitives/bytes.ts'
import type { AgreedCapability, OfferedCapability } from '../../../../../src/net/p2p/rlpx/capabilities.ts'
import type { Hello } from '../../../../../src/net/p2p/rlpx/hello.ts'
import { RlpxSession } from '../../../../../src/net/p2p/rlpx/session.ts'
import type { SessionEnd, SessionHost } from '../../../../../src/net/p2p/rlpx/sessionContract.ts'
import { RlpxTransport } from '../../../../../src/net/p2p/rlpx/transport.ts'
import { FAIR_NETWORK, type NetworkQuality, SimulatedNetwork } from '../../../../simulation/network.ts'
import { Life, SimulatedWorld } from '../../../../simulation/world.ts'
import { hostOf } from './handshakes.ts'

export const CLEAN: NetworkQuality = { ...FAIR_NETWORK, stall: 0, cut: 0 }
export const ETH: OfferedCapability = { name: 'eth', version: 68, length: 17 }
export const SNAP: OfferedCapability = { name: 'snap', version: 1, length: 8 }
export const PORT = 30303

/** A session that records what happens to it. */
export interface Peer {
  readonly session: RlpxSession
  readonly messages: { readonly name: string; readonly code: number; readonly payload: Uint8Array }[]
  readonly opened: { readonly hello: Hello; readonly capabilities: readonly AgreedCapability[] }[]
  readonly ends: SessionEnd[]
  drains: number
  /** Longest message that is read. */
  maxBytes: number
  onMessage: (capability: AgreedCapability, code: number, payload: Uint8Array) => void
}

export function openPeer(
  host: SessionHost,
  connection: TcpConnection,
  remoteId?: Uint8Array,
  capabilities: readonly OfferedCapability[] = [ETH],
): Peer {
  const session = new RlpxSession(host, {
    connection,
    ...(remoteId === undefined ? {} : { remoteId }),
    local: { clientId: 'isonode/test', port: PORT, capabilities },
    handlers: {
      onOpen: (hello, agreed) => void peer.opened.push({ hello, capabilities: agreed }),
      maxBytes: () => peer.maxBytes,
      onMessage: (capability, code, payload) => {
        peer.messages.push({ name: capability.name, code, payload })
        peer.onMessage(capability, code, payload)
      },
      onDrain: () => void peer.drains++,
      onClose: (end) => void peer.ends.push(end),
    },
  })
  const events = { messages: [], opened: [], ends: [], drains: 0 }
  const peer: Peer = { session, ...events, maxBytes: Number.POSITIVE_INFINITY, onMessage: () => {} }
  session.start()
  return peer
}

/** A peer of devp2p under the control of a test: it sends whatever the test wants. */
export class RawPeer {
  readonly transport: RlpxTransport
  readonly connection: TcpConnection
  /** Code and payload of the messages that arrived. */
  readonly received: [number, Uint8Array][] = []
  isClosed = false
  onMessage: (code: number, payload: Uint8Array) => void = () => {}

  constructor(host: SessionHost, connection: TcpConnection, remoteId?: Uint8Array) {
    this.connection = connection
    this.transport = new RlpxTransport(host, remoteId)
    connection.open({
      onData: (bytes) => this.#receive(bytes),
      onEnd: () => connection.end(),
      onClose: () => {
        this.isClosed = true
      },
    })
    if (this.transport.opening !== undefined) connection.write(this.transport.opening)
  }

  send(code: number, payload: Uint8Array = Uint8Array.of(0xc0)): void {
    this.connection.write(this.transport.write({ code, payload }))
  }

  /** Sends several messages in one segment. */
  sendAll(...messages: readonly (readonly [number, Uint8Array])[]): void {
    this.connection.write(concatBytes(...messages.map(([code, payload]) => this.transport.write({ code, payload }))))
  }

  #receive(bytes: Uint8Array): void {
    this.transport.receive(bytes)
    if (!this.transport.isSecure) {
      const reply = this.transport.finishHandshake()
      if (reply === undefined) return
      if (reply.length > 0) this.connection.write(reply)
    }
    for (let next = this.transport.read(); next !== undefined; next = this.transport.read()) {
      this.received.push([next.code, next.payload])
      this.onMessage(next.code, next.payload)
    }
  }
}

export interface Computer {
  readonly host: SessionHost
  readonly life: Life
  readonly tcp: TcpSockets
}

export interface Simulation {
  readonly world: SimulatedWorld
  readonly network: SimulatedNetwork
  readonly alice: Computer
  readonly bob: Computer
  /** Alice connects to Bob. */
  connect(): Promise<readonly [TcpConnection, TcpConnection]>
}

export function simulate(seed = 1, quality: NetworkQuality = CLEAN): Simulation {
  const world = new SimulatedWorld(seed)
  const network = new SimulatedNetwork(world, quality)
  const computer = (name: string, keySeed: number): Computer => {
    const life = new Life(world, name, 0)
    const host = { ...hostOf(seed * 1000 + keySeed), clock: life.clock, timers: life.timers }
    return { host, life, tcp: network.attach(life, name).tcp }
  }
  const [alice, bob] = [computer('alice', 1), computer('bob', 2)]
  return {
    world,
    network,
    alice,
    bob,
    async connect() {
      const ends: TcpConnection[] = []
      const listener = await bob.tcp.listen({ host: 'bob', port: PORT }, (far) => void ends.push(far))
      void alice.tcp.connect({ host: 'bob', port: PORT }).then((near) => ends.unshift(near))
      await world.run(() => ends.length === 2, 60_000)
      await listener.close()
      return ends as unknown as readonly [TcpConnection, TcpConnection]
    },
  }
}

export interface Pair extends Simulation {
  readonly a: Peer
  readonly b: Peer
}

/** Two sessions, before their handshake. */
export async function simulatePair(
  seed = 1,
  quality: NetworkQuality = CLEAN,
  offered: readonly (readonly OfferedCapability[])[] = [[ETH], [ETH]],
): Promise<Pair> {
  const simulation = simulate(seed, quality)
  const { alice, bob } = simulation
  const [near, far] = await simulation.connect()
  const a = openPeer(alice.host, near, bob.host.signer.publicKey, offered[0])
  const b = openPeer(bob.host, far, undefined, offered[1])
  return { ...simulation, a, b }
}
