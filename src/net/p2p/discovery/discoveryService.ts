/**
 * Connects the state machines of both protocols with a UDP socket, the clock and a timer.
 * @module
 */
import type { Clock } from '../../../base/ports/host.ts'
import type { SocketAddress } from '../../../base/ports/tcpSockets.ts'
import type { Timer, Timers } from '../../../base/ports/timers.ts'
import type { UdpSocket, UdpSockets } from '../../../base/ports/udpSockets.ts'
import type { NodeRecord } from './nodeRecord.ts'
import type { NodeContact, TableNode } from './table.ts'
import type { DiscoveryEffect, DiscoveryEvent, DiscoveryOptions, Moment } from './v4/contract.ts'
import { DiscoveryV4 } from './v4/discovery.ts'
import { isPacket } from './v4/packet.ts'
import type { DiscoveryV5Event } from './v5/contract.ts'
import { DiscoveryV5 } from './v5/discovery.ts'

export interface DiscoveryServiceOptions extends Omit<DiscoveryOptions, 'self'> {
  readonly clock: Clock
  readonly timers: Timers
  readonly sockets: UdpSockets
  readonly listen: SocketAddress
  /** The advertised address; a UDP port of 0 stands for the bound one. */
  readonly self: DiscoveryOptions['self']
  /** Each protocol reports a node, and again when its record has changed. */
  onFound?(node: TableNode): void
  onLost?(id: Uint8Array): void
  /** Exchanges records by protocol version 5 too. Default: true */
  readonly isV5Enabled?: boolean
}

interface WaitingLookup {
  readonly target: Uint8Array
  resolve(nodes: readonly NodeContact[]): void
}

export class DiscoveryService {
  readonly #options: DiscoveryServiceOptions
  readonly #v4: DiscoveryV4
  readonly #v5: DiscoveryV5 | undefined
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
    this.#v4 = new DiscoveryV4({ ...options, self: { ...self, udpPort } }, this.#moment())
    this.#v5 = options.isV5Enabled === false ? undefined : new DiscoveryV5(options, this.#moment())
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

  /** Nodes of the table of version 4. */
  get nodes(): readonly TableNode[] {
    return [...this.#v4.table.nodes()]
  }

  /** Nodes of the table of version 5, which have a record. */
  get recordNodes(): readonly TableNode[] {
    return [...(this.#v5?.table.nodes() ?? [])]
  }

  send(bytes: Uint8Array, to: SocketAddress): void {
    if (!this.#isClosed) this.#socket.send(bytes, to)
  }

  receive(bytes: Uint8Array, from: SocketAddress): void {
    if (this.#isClosed) return
    if (isPacket(bytes)) this.#handle({ kind: 'packet', bytes, from })
    else this.#handleV5({ kind: 'packet', bytes, from })
  }

  /** Finds up to 16 nodes that are nearest to a public key; none when the queue of lookups is full. */
  lookup(target: Uint8Array): Promise<readonly NodeContact[]> {
    if (this.#isClosed) return Promise.resolve([])
    return new Promise((resolve) => {
      this.#lookups.push({ target, resolve })
      this.#handle({ kind: 'lookup', target })
    })
  }

  addContacts(nodes: readonly NodeContact[]): void {
    this.#handle({ kind: 'contacts', nodes })
  }

  /** Contacts the nodes of records by version 5. */
  addRecords(records: readonly NodeRecord[]): void {
    this.#handleV5({ kind: 'contacts', records })
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
    for (const effect of this.#v4.handle(event, this.#moment())) {
      this.#execute(effect)
      if (effect.kind === 'found' && effect.node.record !== undefined) this.addRecords([effect.node.record])
    }
    this.#schedule()
  }

  #handleV5(event: DiscoveryV5Event): void {
    if (this.#isClosed || this.#v5 === undefined) return
    for (const effect of this.#v5.handle(event, this.#moment())) this.#execute(effect)
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
        const index = this.#lookups.findIndex(({ target }) => target === effect.target)
        if (index >= 0) this.#lookups.splice(index, 1)[0]?.resolve(effect.nodes)
      }
    }
  }

  /** One timer, for the earliest deadline. An earlier timer is kept: a tick without work costs little. */
  #schedule(): void {
    const atMs = Math.min(this.#v4.nextAtMs, this.#v5?.nextAtMs ?? Number.POSITIVE_INFINITY)
    if (this.#isClosed || atMs >= this.#timerAtMs) return
    this.#timer?.cancel()
    this.#timerAtMs = atMs
    const delayMs = Math.max(1, Math.ceil(atMs - this.#options.clock.monotonic()))
    this.#timer = this.#options.timers.schedule(delayMs, () => {
      this.#timerAtMs = Number.POSITIVE_INFINITY
      this.#handle({ kind: 'tick' })
      this.#handleV5({ kind: 'tick' })
    })
  }
}
