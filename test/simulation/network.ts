/**
 * A network in memory: streams with latency, stalls and cuts; datagrams that may also be lost, duplicated and
 * reordered; partitions that heal. It implements the ports of a real host's sockets.
 * @module
 */
import type { SocketAddress, TcpConnection, TcpHandlers, TcpSockets } from '../../src/base/ports/tcpSockets.ts'
import type { UdpSockets } from '../../src/base/ports/udpSockets.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import type { Life, SimulatedWorld } from './world.ts'

export interface NetworkQuality {
  readonly minLatencyMs: number
  readonly maxLatencyMs: number
  /** Faults of datagrams; probabilities from 0 to 1. */
  readonly loss: number
  readonly duplication: number
  /** Faults of each chunk of a stream: it is delayed, or cuts the connection. */
  readonly stall: number
  readonly cut: number
}

export const FAIR_NETWORK: NetworkQuality = {
  minLatencyMs: 1,
  maxLatencyMs: 60,
  loss: 0.1,
  duplication: 0.05,
  stall: 0.02,
  cut: 0.01,
}

const STALL_MS = 400
/** Connecting to an unreachable peer fails after this time. */
const GIVE_UP_MS = 1500
/** Beyond it, `write` returns false. */
const WINDOW_BYTES = 65_536

type OnDatagram = (bytes: Uint8Array, from: SocketAddress) => void
type OnConnection = (connection: TcpConnection) => void

/** Open sockets of one life of a computer. */
interface Attachment {
  readonly life: Life
  readonly host: string
  readonly udp: Map<number, OnDatagram>
  readonly tcp: Map<number, OnConnection>
  readonly ends: Set<StreamEnd>
  nextPort: number
}

export class SimulatedNetwork {
  readonly #world: SimulatedWorld
  readonly #quality: NetworkQuality
  readonly #attached = new Map<string, Attachment>()
  /** By host; hosts in different groups cannot reach each other. */
  #groups = new Map<string, number>()

  constructor(world: SimulatedWorld, quality: NetworkQuality = FAIR_NETWORK) {
    this.#world = world
    this.#quality = quality
  }

  /** @param host its address; the sockets belong to this life */
  attach(life: Life, host: string): { readonly tcp: TcpSockets; readonly udp: UdpSockets } {
    const attachment: Attachment = { life, host, udp: new Map(), tcp: new Map(), ends: new Set(), nextPort: 40_000 }
    this.#attached.set(host, attachment)
    return { tcp: this.#tcp(attachment), udp: this.#udp(attachment) }
  }

  /** The computer has crashed: peers notice if they can reach it. */
  detach(host: string): void {
    const attachment = this.#attached.get(host)
    this.#attached.delete(host)
    for (const end of attachment?.ends ?? []) end.break('the peer has crashed')
  }

  /** Hosts in different groups cannot reach each other; hosts without a group reach all. */
  partition(groups: readonly (readonly string[])[]): void {
    this.#world.note(`partition ${JSON.stringify(groups)};`)
    this.#groups = new Map(groups.flatMap((hosts, group) => hosts.map((host): [string, number] => [host, group])))
  }

  heal(): void {
    this.partition([])
  }

  reaches(a: string, b: string): boolean {
    const [left, right] = [this.#groups.get(a), this.#groups.get(b)]
    return left === undefined || right === undefined || left === right
  }

  latency(): number {
    return this.#world.random.between(this.#quality.minLatencyMs, this.#quality.maxLatencyMs)
  }

  /** Determines the fate of one chunk of a stream. */
  fate(): { readonly isCut: boolean; readonly delayMs: number } {
    const { random } = this.#world
    const isCut = random.chance(this.#quality.cut)
    return { isCut, delayMs: this.latency() + (random.chance(this.#quality.stall) ? STALL_MS : 0) }
  }

  #udp({ life, host, udp }: Attachment): UdpSockets {
    return {
      bind: async ({ port }, onMessage) => {
        if (udp.has(port)) throw new NodeError({ code: 'LISTEN_FAILED' }, `port ${port} is in use`)
        udp.set(port, onMessage)
        const address = { host, port }
        return {
          address,
          send: (bytes, to) => {
            if (life.isAlive) this.#sendDatagram(bytes.slice(), address, to)
          },
          close: async () => void udp.delete(port),
        }
      },
    }
  }

  #sendDatagram(bytes: Uint8Array, from: SocketAddress, to: SocketAddress): void {
    const { random } = this.#world
    if (random.chance(this.#quality.loss)) return
    const copies = random.chance(this.#quality.duplication) ? 2 : 1
    for (let i = 0; i < copies; i++) {
      this.#world.schedule(this.latency(), `datagram ${from.host} ${to.host} ${bytes.length}`, () => {
        const target = this.#attached.get(to.host)
        if (target?.life.isAlive && this.reaches(from.host, to.host)) target.udp.get(to.port)?.(bytes.slice(), from)
      })
    }
  }

  #tcp(attachment: Attachment): TcpSockets {
    const { life, host, tcp } = attachment
    return {
      listen: async ({ port }, onConnection) => {
        if (tcp.has(port)) throw new NodeError({ code: 'LISTEN_FAILED' }, `port ${port} is in use`)
        tcp.set(port, onConnection)
        return { address: { host, port }, close: async () => void tcp.delete(port) }
      },
      connect: (to, { timeoutMs = GIVE_UP_MS } = {}) =>
        new Promise((resolve, reject) => {
          const fail = (delayMs: number, reason: string): void => {
            const error = new NodeError({ code: 'CONNECTION_FAILED' }, `connection with ${to.host}: ${reason}`)
            life.schedule(delayMs, `refused by ${to.host}`, () => reject(error))
          }
          this.#world.schedule(this.latency(), `connect ${host} ${to.host}`, () => {
            const target = this.#attached.get(to.host)
            if (!target?.life.isAlive || !this.reaches(host, to.host)) return fail(timeoutMs, 'no answer')
            const accept = target.tcp.get(to.port)
            if (accept === undefined || !life.isAlive) return fail(this.latency(), 'refused')
            const [near, far] = this.#pair(attachment, target, to)
            accept(far)
            life.schedule(this.latency(), `connected to ${to.host}`, () => resolve(near))
          })
        }),
    }
  }

  #pair(near: Attachment, far: Attachment, to: SocketAddress): [StreamEnd, StreamEnd] {
    const from = { host: near.host, port: near.nextPort++ }
    const client = new StreamEnd(this, near.life, from, to)
    const server = new StreamEnd(this, far.life, to, from)
    client.peer = server
    server.peer = client
    near.ends.add(client)
    far.ends.add(server)
    client.onGone = () => near.ends.delete(client)
    server.onGone = () => far.ends.delete(server)
    return [client, server]
  }
}

type Piece = { readonly kind: 'data'; readonly bytes: Uint8Array } | { readonly kind: 'end' }

class StreamEnd implements TcpConnection {
  readonly localAddress: SocketAddress
  readonly remoteAddress: SocketAddress
  readonly life: Life
  peer!: StreamEnd
  onGone: () => void = () => {}
  readonly #network: SimulatedNetwork
  #handlers: TcpHandlers | undefined
  /** Received chunks that the reader has not taken. */
  #arrived: Piece[] = []
  /** Number of bytes sent that the peer has not read. */
  #backlog = 0
  #isHeldBack = false
  #isPaused = true
  #hasEnded = false
  #peerHasEnded = false
  #isClosed = false
  #error: NodeError | undefined
  #isCut = false
  /** Time of the last arrival: chunks arrive in order. */
  #lastArrival = 0

  constructor(network: SimulatedNetwork, life: Life, local: SocketAddress, remote: SocketAddress) {
    this.#network = network
    this.life = life
    this.localAddress = local
    this.remoteAddress = remote
  }

  get backlog(): number {
    return this.#backlog
  }

  open(handlers: TcpHandlers): void {
    this.#handlers = handlers
    if (this.#isClosed) this.life.schedule(0, 'close', () => handlers.onClose(this.#error))
    else this.life.schedule(0, 'open', () => this.resume())
  }

  write(bytes: Uint8Array): boolean {
    if (this.#hasEnded || this.#isClosed || !this.life.isAlive) return false
    this.#backlog += bytes.length
    this.#send({ kind: 'data', bytes: bytes.slice() })
    if (this.#backlog > WINDOW_BYTES) this.#isHeldBack = true
    return !this.#isHeldBack
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    if (this.#handlers === undefined) return
    this.#isPaused = false
    this.#deliver()
  }

  end(): void {
    if (this.#hasEnded || this.#isClosed) return
    this.#hasEnded = true
    this.#send({ kind: 'end' })
  }

  destroy(): void {
    if (this.#isClosed) return
    this.#close(undefined)
    this.peer.break('the peer has broken off')
  }

  /** The other side, or the path to it, has failed. */
  break(reason: string): void {
    const { host } = this.remoteAddress
    this.life.schedule(
      this.#network.reaches(this.localAddress.host, host) ? this.#network.latency() : GIVE_UP_MS,
      'break',
      () => this.#close(new NodeError({ code: 'CONNECTION_FAILED' }, `connection with ${host}: ${reason}`)),
    )
  }

  #send(piece: Piece): void {
    const { isCut, delayMs } = this.#network.fate()
    const { world } = this.life
    const { host } = this.localAddress
    const target = this.peer.localAddress.host
    this.#lastArrival = Math.max(this.#lastArrival, world.now + delayMs)
    const size = piece.kind === 'data' ? piece.bytes.length : 0
    world.schedule(this.#lastArrival - world.now, `${piece.kind} ${host} ${target} ${size}`, () => {
      // Nothing may arrive after a lost chunk, because a stream has no gaps.
      if (this.#isCut) return
      if (isCut || !this.#network.reaches(host, target)) {
        this.#isCut = true
        this.break('cut')
        this.peer.break('cut')
      } else if (this.peer.life.isAlive) this.peer.#arrive(piece)
    })
  }

  #arrive(piece: Piece): void {
    this.#arrived.push(piece)
    this.#deliver()
  }

  #deliver(): void {
    while (!this.#isPaused && !this.#isClosed) {
      const piece = this.#arrived.shift()
      if (piece === undefined) return
      if (piece.kind === 'data') {
        this.peer.#wasRead(piece.bytes.length)
        this.#handlers?.onData(piece.bytes)
      } else {
        this.#peerHasEnded = true
        this.#handlers?.onEnd?.()
        this.#closeWhenBothEnded()
        this.peer.#closeWhenBothEnded()
      }
    }
  }

  #wasRead(bytes: number): void {
    this.#backlog -= bytes
    if (!this.#isHeldBack || this.#backlog > 0) return
    this.#isHeldBack = false
    this.life.schedule(this.#network.latency(), 'drain', () => {
      if (!this.#isClosed) this.#handlers?.onDrain?.()
    })
  }

  #closeWhenBothEnded(): void {
    if (this.#hasEnded && this.#peerHasEnded) this.life.schedule(0, 'closed', () => this.#close(undefined))
  }

  #close(error: NodeError | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#error = error
    this.#arrived = []
    this.onGone()
    if (this.#handlers !== undefined) this.life.schedule(0, 'close', () => this.#handlers?.onClose(error))
  }
}
