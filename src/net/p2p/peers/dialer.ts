import {
  MAINTAINED_CONNECT_TIMEOUT_MS,
  MAX_PARALLEL_DIALS,
  PEER_CONNECT_TIMEOUT_MS,
} from '../../../base/limits/limits.ts'
import type { Clock, Logger } from '../../../base/ports/host.ts'
import { type Random, randomUint32 } from '../../../base/ports/random.ts'
import type { TcpConnection, TcpSockets } from '../../../base/ports/tcpSockets.ts'
import type { Timer, Timers } from '../../../base/ports/timers.ts'
import { type AddressRanges, RangeCounts } from '../../../base/primitives/addressSite.ts'
import { type NodeContact, nodeKey } from '../discovery/table.ts'
import type { DisconnectReason } from '../rlpx/disconnect.ts'
import { BackOff } from './backOff.ts'
import type { MaintainedContacts } from './maintainedContacts.ts'
import type { PeerMeter } from './peerMeter.ts'
import { DIAL_RULES } from './policy.ts'
import { Redials } from './redials.ts'

export interface DialerHost {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly sockets: TcpSockets
  readonly log: Logger
  readonly meter?: PeerMeter | undefined
}

export interface DialerOptions {
  readonly maintained: MaintainedContacts
  /** Places for peers that are neither connected nor dialled. */
  freePlaces(): number
  /** Whether a node may be dialled: not connected, not banned, permitted. */
  isWelcome(contact: NodeContact): boolean
  /** The ranges whose places a peer takes. */
  rangesOf(contact: NodeContact): AddressRanges
  /** Outbound places of one site. */
  readonly sitePlaces: number
  /** Nodes that may be dialled, in any order. */
  contacts(): Iterable<NodeContact>
  /** Takes over the connection, and calls {@link Dialer.settled} later. */
  onConnected(contact: NodeContact, connection: TcpConnection): void
}

/** Reasons that would also end the next connection. */
const LASTING: ReadonlySet<DisconnectReason> = new Set<DisconnectReason>([
  'subprotocol',
  'uselessPeer',
  'incompatibleVersion',
  'nullIdentity',
  'unexpectedIdentity',
  'localIdentity',
  'breachOfProtocol',
])

/** Dials maintained peers and known contacts. */
export class Dialer {
  readonly #host: DialerHost
  readonly #options: DialerOptions
  readonly #backOff: BackOff
  /** By key: TCP connections that are being opened, and outbound peers that are not admitted yet. */
  readonly #dials = new Map<string, AbortController>()
  readonly #redials: Redials
  /** By key: ranges of the dials, and of the outbound peers until they end. */
  readonly #ranges = new Map<string, AddressRanges>()
  readonly #rangeCounts = new RangeCounts()
  /** Nodes to be dialled before the contacts. */
  #first: readonly NodeContact[] = []
  #maintainedTimer: Timer | undefined
  #candidatesTimer: Timer | undefined
  #earlyTimer: Timer | undefined
  #lastRoundMs = Number.NEGATIVE_INFINITY
  #isStopped = false

  constructor(host: DialerHost, options: DialerOptions) {
    this.#host = host
    this.#options = options
    this.#backOff = new BackOff(host.clock)
    this.#redials = new Redials(host.timers, (key) => this.#redial(key))
  }

  /** Number of dials whose peers are not admitted yet. */
  get pending(): number {
    return this.#dials.size
  }

  start(): void {
    this.#dialMaintained()
    this.#dialContacts()
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of [this.#maintainedTimer, this.#candidatesTimer, this.#earlyTimer]) timer?.cancel()
    for (const dial of this.#dials.values()) dial.abort()
    this.#redials.close()
  }

  /** Dials a maintained peer immediately, if there is a place. */
  dialNow(contact: NodeContact): void {
    if (!this.#isStopped && this.#options.freePlaces() > 0) this.#dial(contact)
  }

  /** Dials these nodes once, immediately and before any contact, in order. */
  dialFirst(contacts: readonly NodeContact[]): void {
    this.#first = contacts
    if (!this.#isStopped) this.#dialContacts()
  }

  /** Cancels the dial to a node. */
  cancel(key: string): void {
    this.#dials.get(key)?.abort()
    this.#redials.succeeded(key)
  }

  /** A contact was found: a round follows soon, unless there was one just now. */
  wake(): void {
    if (this.#isStopped || this.#earlyTimer !== undefined || this.#options.freePlaces() <= 0) return
    const delayMs = Math.max(0, this.#lastRoundMs + DIAL_RULES.earlyRoundMs - this.#host.clock.monotonic())
    this.#earlyTimer = this.#host.timers.schedule(Math.ceil(delayMs), () => {
      this.#earlyTimer = undefined
      this.#dialContacts()
    })
  }

  /** The peer of an outbound connection was admitted. */
  admitted(key: string): void {
    this.#dials.delete(key)
  }

  /** An outbound connection has ended. @param lifeMs time since it was opened */
  ended(key: string, reason: DisconnectReason, lifeMs: number): void {
    this.#forget(key)
    const isShort = lifeMs < DIAL_RULES.shortConnectionMs
    if (!isShort) this.#redials.succeeded(key)
    if (LASTING.has(reason)) this.#backOff.failed(key, true)
    else {
      if (isShort) this.#backOff.failed(key, false)
      else this.#backOff.succeeded(key)
      this.#redialLater(key)
    }
  }

  /** A maintained peer is soon dialled again: it may not have listened yet, or may have restarted. */
  #redialLater(key: string): void {
    if (!this.#isStopped && this.#options.maintained.has(key)) this.#redials.plan(key)
  }

  #redial(key: string): void {
    const contact = this.#options.maintained.nextOf(key)
    if (contact !== undefined) this.dialNow(contact)
  }

  #dialMaintained(): void {
    this.#maintainedTimer = this.#host.timers.schedule(DIAL_RULES.maintainedMs, () => this.#dialMaintained())
    for (const contact of this.#options.maintained.next()) {
      if (this.#options.freePlaces() <= 0) return
      this.#dial(contact)
    }
  }

  #dialContacts(): void {
    this.#candidatesTimer?.cancel()
    this.#candidatesTimer = this.#host.timers.schedule(DIAL_RULES.candidatesMs, () => this.#dialContacts())
    this.#lastRoundMs = this.#host.clock.monotonic()
    while (this.#places() > 0 && this.#first.length > 0) {
      const [contact, ...others] = this.#first
      this.#first = others
      if (contact !== undefined) this.#dial(contact)
    }
    if (this.#places() <= 0) return
    const contacts = [...this.#options.contacts()]
    // A shuffle that stops once all places are taken.
    for (let candidateCount = contacts.length; candidateCount > 0 && this.#places() > 0; candidateCount--) {
      const index = randomUint32(this.#host.random) % candidateCount
      const contact = contacts[index] as NodeContact
      contacts[index] = contacts[candidateCount - 1] as NodeContact
      if (!this.#backOff.isWaiting(nodeKey(contact.id))) this.#dial(contact)
    }
  }

  #places(): number {
    return Math.min(this.#options.freePlaces(), MAX_PARALLEL_DIALS - this.#dials.size)
  }

  #dial(contact: NodeContact): void {
    const key = nodeKey(contact.id)
    if (contact.tcpPort === 0 || this.#dials.has(key) || this.#dials.size >= MAX_PARALLEL_DIALS) return
    if (!this.#options.isWelcome(contact) || !this.#takePlace(key, contact)) return
    const abort = new AbortController()
    this.#dials.set(key, abort)
    void this.#connect(key, contact, abort)
  }

  /** @returns false when a range of the node has its share already */
  #takePlace(key: string, contact: NodeContact): boolean {
    const { maintained, rangesOf, sitePlaces } = this.#options
    if (maintained.has(key)) return true
    const ranges = rangesOf(contact)
    if (!this.#rangeCounts.hasRoom(ranges, sitePlaces)) return false
    this.#rangeCounts.add(ranges)
    this.#ranges.set(key, ranges)
    return true
  }

  #forget(key: string): void {
    this.#dials.delete(key)
    this.#rangeCounts.remove(this.#ranges.get(key) ?? [])
    this.#ranges.delete(key)
  }

  async #connect(key: string, contact: NodeContact, abort: AbortController): Promise<void> {
    const { sockets, log, meter } = this.#host
    try {
      const address = { host: contact.host, port: contact.tcpPort }
      const isMaintained = this.#options.maintained.has(key)
      const timeoutMs = isMaintained ? MAINTAINED_CONNECT_TIMEOUT_MS : PEER_CONNECT_TIMEOUT_MS
      const connection = await sockets.connect(address, { timeoutMs, signal: abort.signal })
      meter?.dialled(true)
      if (abort.signal.aborted) {
        this.#forget(key)
        connection.destroy()
        return
      }
      this.#options.onConnected(contact, connection)
    } catch (error) {
      this.#forget(key)
      if (abort.signal.aborted) return
      meter?.dialled(false)
      this.#backOff.failed(key, false)
      this.#redialLater(key)
      log.debug('the peer is unreachable', { host: contact.host, port: contact.tcpPort, error })
    }
  }
}
