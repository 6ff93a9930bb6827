/**
 * Connects the state machine with a UDP socket, the clock and a timer.
 * @module
 */
import type { Clock } from '../../ports/host.ts'
import type { SocketAddress } from '../../ports/tcpSockets.ts'
import type { Timer, Timers } from '../../ports/timers.ts'
import type { UdpSocket, UdpSockets } from '../../ports/udpSockets.ts'
import type { NodeContact, TableNode } from './table.ts'
import type { DiscoveryEffect, DiscoveryEvent, DiscoveryOptions, Moment } from './v4/contract.ts'
import { DiscoveryV4 } from './v4/discovery.ts'
import { isPacket } from './v4/packet.ts'

export interface DiscoveryServiceOptions extends Omit<DiscoveryOptions, 'self'> {
  readonly clock: Clock
  readonly timers: Timers
  readonly sockets: UdpSockets
  readonly listen: SocketAddress
  /** The advertised address; a UDP port of 0 stands for the bound one. */
  readonly self: DiscoveryOptions['self']
  onFound?(node: TableNode): void
  onLost?(id: Uint8Array): void
  /** Receives datagrams of other protocols on the same port; must not throw. */
  onForeign?(bytes: Uint8Array, from: SocketAddress): void
}

interface WaitingLookup {
  readonly target: Uint8Array
  resolve(nodes: readonly NodeContact[]): void
}

export class DiscoveryService {
  readonly #options: DiscoveryServiceOptions
  readonly #machine: DiscoveryV4
  readonly #socket: UdpSocket
  #timer: Timer | undefined
  #timerAtMs = Number.POSITIVE_INFINITY
  #lookups: WaitingLookup[] = []
  #isClosed = false

  private constructor(options: DiscoveryServiceOptions, socket: UdpSocket) {
    this.#options = options
    this.#socket = socket
    const { self } = options
    const udpPort = self.udpPort === 0 ? socket.address.port : self.udpPort
    this.#machine = new DiscoveryV4({ ...options, self: { ...self, udpPort } }, this.#moment())
  }

  /** @throws {NodeError} LISTEN_FAILED */
  static async start(options: DiscoveryServiceOptions): Promise<DiscoveryService> {
    let service: DiscoveryService | undefined
    const socket = await options.sockets.bind(options.listen, (bytes, from) => service?.receive(bytes, from))
    service = new DiscoveryService(options, socket)
    service.#handle({ kind: 'start' })
    return service
  }

  get address(): SocketAddress {
    return this.#socket.address
  }

  /** Nodes of the table. */
  get nodes(): readonly TableNode[] {
    return [...this.#machine.table.nodes()]
  }

  send(bytes: Uint8Array, to: SocketAddress): void {
    if (!this.#isClosed) this.#socket.send(bytes, to)
  }

  receive(bytes: Uint8Array, from: SocketAddress): void {
    if (this.#isClosed) return
    if (isPacket(bytes)) this.#handle({ kind: 'packet', bytes, from })
    else this.#options.onForeign?.(bytes, from)
  }

  /** Finds up to 16 nodes that are nearest to a public key; none when the queue of lookups is full. */
  lookup(target: Uint8Array): Promise<readonly NodeContact[]> {
    if (this.#isClosed) return Promise.resolve([])
    return new Promise((resolve) => {
      this.#lookups.push({ target, resolve })
      this.#handle({ kind: 'lookup', target })
    })
  }

  addCandidates(nodes: readonly NodeContact[]): void {
    this.#handle({ kind: 'candidates', nodes })
  }

  /** Whether the node has fewer peers than it wants. */
  setPeersWanted(isWanted: boolean): void {
    this.#handle({ kind: 'peersWanted', isWanted })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    for (const { resolve } of this.#lookups) resolve([])
    this.#lookups = []
    await this.#socket.close()
  }

  #moment(): Moment {
    const { clock } = this.#options
    return { monotonicMs: clock.monotonic(), unixMs: clock.now() }
  }

  #handle(event: DiscoveryEvent): void {
    if (this.#isClosed) return
    for (const effect of this.#machine.handle(event, this.#moment())) this.#execute(effect)
    this.#schedule()
  }

  #execute(effect: DiscoveryEffect): void {
    switch (effect.kind) {
      case 'send':
        this.send(effect.bytes, effect.to)
        break
      case 'found':
        this.#options.onFound?.(effect.node)
        break
      case 'lost':
        this.#options.onLost?.(effect.id)
        break
      case 'lookupDone': {
        const done = this.#lookups.findIndex(({ target }) => target === effect.target)
        if (done >= 0) this.#lookups.splice(done, 1)[0]?.resolve(effect.nodes)
      }
    }
  }

  /** One timer, for the earliest deadline. An earlier timer is kept: a tick without work costs little. */
  #schedule(): void {
    const atMs = this.#machine.nextAtMs
    if (this.#isClosed || atMs >= this.#timerAtMs) return
    this.#timer?.cancel()
    this.#timerAtMs = atMs
    const delayMs = Math.max(1, Math.ceil(atMs - this.#options.clock.monotonic()))
    this.#timer = this.#options.timers.schedule(delayMs, () => {
      this.#timerAtMs = Number.POSITIVE_INFINITY
      this.#handle({ kind: 'tick' })
    })
  }
}
