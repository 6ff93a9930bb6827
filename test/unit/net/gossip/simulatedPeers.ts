/**
 * Peers of the eth protocol on virtual time: every message is encoded, delayed and decoded; questions are answered by
 * the other side, or never.
 */

import { PEER_REQUEST_TIMEOUT_MS } from '../../../../src/base/limits/limits.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { Emitter } from '../../../../src/base/primitives/events.ts'
import type {
  EthGossip,
  EthPeer,
  EthPeerEvents,
  EthPeers,
  PeerHead,
  Question,
  Reply,
} from '../../../../src/net/eth/contract.ts'
import { decodeEthMessage, encodeEthMessage, type WireMessage } from '../../../../src/net/protocols/eth/codec.ts'
import type { EthMessage, EthRequest } from '../../../../src/net/protocols/eth/messages.ts'
import { type EthVersion, ethVersion } from '../../../../src/net/protocols/eth/versions.ts'
import { PeerKnowledge } from '../../../../src/net/protocols/peerKnowledge.ts'
import type { SimulatedWorld } from '../../../simulation/world.ts'

export type Answer = (version: EthVersion, request: EthRequest) => WireMessage | undefined

export interface LinkOptions {
  readonly version?: number
  readonly latencyMs?: readonly [number, number]
  readonly requestTimeoutMs?: number
  /** The heads that the nodes have named; default: the present ones. */
  readonly toldHead?: Uint8Array
}

/** The peers of one node. */
export class SimulatedPeers implements EthPeers {
  readonly name: string
  readonly all: SimulatedPeer[] = []
  readonly events: Emitter<EthPeerEvents>
  /** Gossip that this node sent. */
  readonly sent: { readonly to: string; readonly message: EthGossip }[] = []
  readonly disconnects: { readonly by: string; readonly reason: string; readonly details: string }[] = []
  /** false: counts only. */
  recordsSent = true
  sentCount = 0
  /** Answers to the questions of peers; undefined: none. */
  answer: Answer = () => undefined
  head: () => PeerHead = () => ({ hash: undefined, number: 0n, totalDifficulty: undefined })

  constructor(name: string) {
    this.name = name
    this.events = new Emitter((error) => {
      throw error
    })
  }

  peer(name: string): SimulatedPeer {
    const found = this.all.find(({ remote }) => remote.name === name)
    if (found === undefined) throw new Error(`${this.name} has no peer ${name}`)
    return found
  }
}

/** One side of a connection: the peer as the local node sees it. */
export class SimulatedPeer implements EthPeer {
  readonly connection: EthPeer['connection']
  readonly version: EthVersion
  readonly knowledge: PeerKnowledge
  readonly toldHead: Uint8Array
  readonly local: SimulatedPeers
  readonly remote: SimulatedPeers
  readonly reports: string[] = []
  other!: SimulatedPeer
  head: PeerHead
  isOpen = true
  backlog = 0
  readonly #world: SimulatedWorld
  readonly #latencyMs: readonly [number, number]
  readonly #timeoutMs: number
  readonly #unanswered = new Set<() => void>()
  #lastArrival = 0
  outstanding = 0

  constructor(world: SimulatedWorld, local: SimulatedPeers, remote: SimulatedPeers, options: LinkOptions) {
    const { version = 68, latencyMs = [5, 60], requestTimeoutMs = PEER_REQUEST_TIMEOUT_MS } = options
    this.#world = world
    this.local = local
    this.remote = remote
    this.version = ethVersion(version) as EthVersion
    this.#latencyMs = latencyMs
    this.#timeoutMs = requestTimeoutMs
    this.knowledge = new PeerKnowledge(world.random)
    this.head = remote.head()
    this.toldHead = options.toldHead ?? local.head().hash ?? new Uint8Array(32)
    this.connection = {
      key: bytesToHex(new TextEncoder().encode(remote.name.padEnd(64))).slice(2),
      id: new Uint8Array(64),
      hello: { version: 5, clientId: 'simulated', capabilities: [], port: 0, nodeId: new Uint8Array(64) },
      isInbound: false,
      isMaintained: false,
      remoteAddress: { host: remote.name, port: 30303 },
    }
  }

  get hasCapacity(): boolean {
    return this.isOpen && this.outstanding < 5
  }

  sawHead(head: PeerHead): void {
    const before = this.head
    const [own, seen] = [before.totalDifficulty, head.totalDifficulty]
    const isHigher = own !== undefined && seen !== undefined ? seen > own : head.number > before.number
    if (!isHigher) return
    this.head = { ...head, totalDifficulty: seen ?? own }
    this.local.events.emit('head', this)
  }

  send(message: EthGossip): void {
    if (!this.isOpen) return
    if (this.local.recordsSent) this.local.sent.push({ to: this.remote.name, message })
    this.local.sentCount++
    this.sendWire(encodeEthMessage(this.version, message))
  }

  sendWire(wire: WireMessage): void {
    this.#deliver(() => this.other.receive(wire))
  }

  receive(wire: WireMessage): void {
    if (!this.isOpen) return
    let message: EthMessage
    try {
      message = decodeEthMessage(this.version, wire)
    } catch (error) {
      this.disconnect('breachOfProtocol', String(error))
      return
    }
    this.local.events.emit('gossip', { peer: this, message: message as EthGossip })
  }

  ask<K extends EthRequest['kind']>(question: Question<K>): Promise<Reply<K>> {
    if (!this.isOpen) return Promise.resolve({ kind: 'closed' })
    if (!this.hasCapacity) return Promise.resolve({ kind: 'busy' })
    this.outstanding++
    const request = { ...question, requestId: this.version.hasRequestIds ? 1n : undefined } as unknown as EthRequest
    return new Promise<Reply<K>>((resolve) => {
      let isOver = false
      const finish = (reply: Reply<K>): void => {
        if (isOver) return
        isOver = true
        timer.cancel()
        this.#unanswered.delete(close)
        this.outstanding--
        resolve(reply)
      }
      const close = (): void => finish({ kind: 'closed' })
      const timer = this.#world.schedule(this.#timeoutMs, 'time-out', () => finish({ kind: 'timeout' }))
      this.#unanswered.add(close)
      const wire = encodeEthMessage(this.version, request)
      this.#deliver(() => {
        const asked = decodeEthMessage(this.version, wire) as EthRequest
        const answer = this.other.isOpen ? this.remote.answer(this.version, asked) : undefined
        if (answer === undefined) return
        this.other.#deliver(() => {
          if (!this.isOpen || isOver) return
          try {
            finish({ kind: 'answer', response: decodeEthMessage(this.version, answer) } as unknown as Reply<K>)
          } catch (error) {
            this.disconnect('breachOfProtocol', String(error))
          }
        })
      })
    })
  }

  charge(): void {}

  report(conduct: 'useful' | 'useless'): void {
    this.reports.push(conduct)
  }

  disconnect(reason: string, details: string): void {
    if (!this.isOpen) return
    this.remote.disconnects.push({ by: this.local.name, reason, details })
    this.close()
    this.other.close()
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.local.all.splice(this.local.all.indexOf(this), 1)
    for (const close of [...this.#unanswered]) close()
    this.local.events.emit('left', this)
  }

  /** Messages arrive in order. */
  #deliver(run: () => void): void {
    const { now, random } = this.#world
    this.#lastArrival = Math.max(this.#lastArrival, now + random.between(...this.#latencyMs))
    this.#world.schedule(this.#lastArrival - now, `${this.local.name} ${this.remote.name}`, run)
  }
}

/** Connects two nodes. */
export function link(
  world: SimulatedWorld,
  a: SimulatedPeers,
  b: SimulatedPeers,
  options: LinkOptions = {},
): readonly [SimulatedPeer, SimulatedPeer] {
  const near = new SimulatedPeer(world, a, b, options)
  const far = new SimulatedPeer(world, b, a, options)
  near.other = far
  far.other = near
  a.all.push(near)
  b.all.push(far)
  a.events.emit('joined', near)
  b.events.emit('joined', far)
  return [near, far]
}
