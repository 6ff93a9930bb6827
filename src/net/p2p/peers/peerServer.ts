/**
 * Accepts, dials, limits and ends connections to peers.
 * @see docs/reference/p2p.md section 5
 * @module
 */
import type { Logger } from '../../../base/ports/host.ts'
import { randomUint32 } from '../../../base/ports/random.ts'
import type { SocketAddress, TcpConnection, TcpListener, TcpSockets } from '../../../base/ports/tcpSockets.ts'
import { type AddressRanges, publicRangesOf, RangeCounts } from '../../../base/primitives/addressSite.ts'
import { compareBytes } from '../../../base/primitives/bytes.ts'
import { isNodeError } from '../../../base/primitives/errors.ts'
import { ADDRESS_SHARE, type AddressShare, sitePlaces } from '../addressShare.ts'
import { type NodeContact, nodeKey } from '../discovery/table.ts'
import type { DisconnectReason } from '../rlpx/disconnect.ts'
import type { LocalPeer, SessionEnd, SessionHost } from '../rlpx/sessionContract.ts'
import type { PeerConnection, PeerProtocols } from './contract.ts'
import { Dialer } from './dialer.ts'
import { InboundAttempts } from './inboundAttempts.ts'
import type { DialledPeer } from './keptNodes.ts'
import { MaintainedContacts } from './maintainedContacts.ts'
import { type LinkOwner, PeerLink } from './peerLink.ts'
import type { PeerMeter } from './peerMeter.ts'
import { PendingSlots } from './pendingSlots.ts'
import { maxInbound, type PeerLimits } from './policy.ts'
import { RefusedIds } from './refusedIds.ts'
import { SharedWork } from './workAccount.ts'
import { WorkTurns } from './workTurns.ts'

/** `discovery`: the node may be contacted and answered by discovery; its ports are 0. */
export type PeerDirection = 'inbound' | 'outbound' | 'discovery'

export interface PeerServerOptions {
  /** Holds the node key. */
  readonly host: SessionHost
  readonly sockets: TcpSockets
  readonly log: Logger
  /** The address to listen on; port 0: any free port. */
  readonly listen: SocketAddress
  readonly clientId: string
  readonly protocols: PeerProtocols
  readonly limits: PeerLimits
  /** Limits per site. Default: those of the node. */
  readonly share?: AddressShare | undefined
  /** Node ids of 64 bytes. */
  readonly bannedIds: readonly Uint8Array[]
  /**
   * Permission of the operator. Default: all are allowed.
   * @param peer the port of an inbound peer is the one that its Hello announces, or 0
   */
  permits?: ((peer: NodeContact, direction: PeerDirection) => boolean) | undefined
  readonly meter?: PeerMeter | undefined
  /** The number of admitted peers has changed. */
  onPeerCount?(count: number): void
}

export class PeerServer implements LinkOwner {
  readonly #options: PeerServerOptions
  readonly #selfKey: string
  readonly #maintained = new MaintainedContacts()
  /** Keys of maintained peers that `permits` does not allow: dialled as soon as it does. */
  readonly #withheld = new Set<string>()
  readonly #refused: RefusedIds
  readonly #pending: PendingSlots
  readonly #attempts: InboundAttempts
  readonly #share: AddressShare
  readonly #work: SharedWork
  readonly #turns: WorkTurns
  readonly #dialer: Dialer
  /** All whose socket is open. */
  readonly #links = new Set<PeerLink>()
  /** Connections after the Hello, by key; a key has two while both sides' dials cross. */
  readonly #open = new Map<string, readonly PeerLink[]>()
  /** In the order of their admission. */
  readonly #admitted = new Set<PeerLink>()
  /** Free the places of inbound connections that are not admitted. */
  readonly #places = new Map<PeerLink, () => void>()
  #contacts: () => Iterable<NodeContact> = () => []
  #listener!: TcpListener
  #local!: LocalPeer
  #isStopped = false
  #onAllClosed: () => void = () => {}

  private constructor(options: PeerServerOptions) {
    this.#options = options
    const { host, sockets, log, bannedIds, limits, meter, share = ADDRESS_SHARE } = options
    this.#share = share
    this.#selfKey = nodeKey(host.signer.publicKey)
    this.#refused = new RefusedIds(bannedIds, host.clock)
    this.#pending = new PendingSlots(host.clock)
    this.#attempts = new InboundAttempts(share.attemptBurst)
    this.#work = new SharedWork(host.clock.monotonic())
    this.#turns = new WorkTurns(host.timers)
    this.#dialer = new Dialer(
      { ...host, sockets, log, meter },
      {
        maintained: this.#maintained,
        freePlaces: () => limits.maxPeers - this.#admitted.size - this.#dialer.pending,
        rangesOf: ({ host: address }) => this.#rangesOf(address),
        sitePlaces: sitePlaces(limits.maxPeers - maxInbound(limits), share.outboundPercent),
        isWelcome: (contact) => this.#isWelcome(contact),
        contacts: () => this.#contacts(),
        onConnected: (contact, connection) => this.#connected(contact, connection),
      },
    )
  }

  /** @throws {NodeError} LISTEN_FAILED */
  static async start(options: PeerServerOptions): Promise<PeerServer> {
    const server = new PeerServer(options)
    const { listen, sockets, clientId, protocols } = options
    server.#listener = await sockets.listen(listen, (connection) => server.#accept(connection))
    server.#local = { clientId, port: server.#listener.address.port, capabilities: protocols.offered }
    server.#dialer.start()
    return server
  }

  /** The listening address of the node. */
  get address(): SocketAddress {
    return this.#listener.address
  }

  /** Admitted peers, in the order of their admission. */
  get peers(): readonly PeerConnection[] {
    return [...this.#admitted]
  }

  get peerCount(): number {
    return this.#admitted.size
  }

  /** Admitted outbound peers that the operator has not named. */
  get dialledPeers(): readonly DialledPeer[] {
    return [...this.#admitted].filter(({ isInbound, isMaintained }) => !isInbound && !isMaintained)
  }

  /** @param contacts returns nodes that may be dialled, in any order */
  setContacts(contacts: () => Iterable<NodeContact>): void {
    this.#contacts = contacts
    this.#dialer.wake()
  }

  /** Dials these nodes before the contacts, in order. */
  dialFirst(contacts: readonly NodeContact[]): void {
    this.#dialer.dialFirst(contacts)
  }

  /** A contact was found. */
  noteContact(): void {
    this.#dialer.wake()
  }

  /** Connects to a peer, and again whenever the connection is lost. */
  maintain(contact: NodeContact): void {
    this.#maintained.add(contact)
    this.#dialer.dialNow(contact)
  }

  /** Disconnects a peer, maintained or not, and stops maintaining it at this address. */
  release(contact: NodeContact): void {
    const key = nodeKey(contact.id)
    this.#maintained.remove(contact)
    this.#withheld.delete(key)
    this.#dialer.cancel(key)
    for (const link of [...this.#links]) {
      const isDialled = link.dialled !== undefined && nodeKey(link.dialled.id) === key
      if (isDialled || link.key === key) link.disconnect('requested', 'removed by the operator')
    }
  }

  /** A maintained peer has another address. An open connection continues. */
  move(from: NodeContact, to: NodeContact): void {
    this.#maintained.remove(from)
    this.#maintained.add(to)
    this.#dialer.cancel(nodeKey(from.id))
    this.#options.host.timers.schedule(0, () => this.#dialer.dialNow(to))
  }

  /** Whether a node is refused: banned, or it broke a protocol. */
  isRefused(id: Uint8Array): boolean {
    const key = nodeKey(id)
    return this.#refused.has(key, this.#maintained.has(key))
  }

  /** Disconnects peers that `permits` no longer allows, and dials maintained peers that it allows again. */
  checkPermissions(): void {
    for (const link of [...this.#open.values()].flat()) {
      const reason = this.#withdrawal(link)
      if (reason !== undefined) link.disconnect(reason, 'the permission was withdrawn')
    }
    if (this.#withheld.size === 0) return
    for (const contact of this.#maintained.next()) {
      const key = nodeKey(contact.id)
      if (!this.#withheld.has(key) || !this.#isWelcome(contact)) continue
      this.#withheld.delete(key)
      this.#dialer.dialNow(contact)
    }
  }

  /** Disconnects all peers, which takes up to two seconds. */
  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#dialer.stop()
    await this.#listener.close()
    const allClosed = new Promise<void>((resolve) => {
      this.#onAllClosed = resolve
    })
    for (const link of [...this.#links]) link.disconnect('quitting')
    if (this.#links.size > 0) await allClosed
  }

  isMaintained(key: string): boolean {
    return this.#maintained.has(key)
  }

  onHello(link: PeerLink): DisconnectReason | undefined {
    const refusal = this.#refusal(link)
    if (refusal !== undefined) return refusal
    this.#open.set(link.key, [...(this.#open.get(link.key) ?? []), link])
    return undefined
  }

  onAdmission(link: PeerLink): DisconnectReason | undefined {
    const rival = this.#open.get(link.key)?.find((other) => other !== link)
    if (rival?.state === 'admitted' && this.#preferred(link, rival) === rival) return 'alreadyConnected'
    const refusal = this.#refusalOfLimits(link, rival)
    if (refusal !== undefined) return refusal
    if (rival !== undefined && this.#preferred(link, rival) === link) {
      rival.disconnect('alreadyConnected', 'two connections have crossed')
    }
    this.#admitted.add(link)
    this.#options.meter?.admitted()
    this.#freePlace(link)
    if (!link.isInbound) this.#dialer.admitted(link.key)
    this.#options.onPeerCount?.(this.#admitted.size)
    return undefined
  }

  onEnd(link: PeerLink, end: SessionEnd, details: string | undefined): void {
    const wasAdmitted = this.#admitted.delete(link)
    this.#options.meter?.ended(end, wasAdmitted)
    if (wasAdmitted) this.#options.onPeerCount?.(this.#admitted.size)
    const { dialled, key } = link
    const others = (this.#open.get(key) ?? []).filter((other) => other !== link)
    if (others.length === 0) this.#open.delete(key)
    else this.#open.set(key, others)
    if (key !== '') this.#noteEnd(link, end, details)
    if (dialled !== undefined) {
      const lifeMs = this.#options.host.clock.monotonic() - link.openedMs
      this.#dialer.ended(nodeKey(dialled.id), end.reason, lifeMs)
    }
  }

  onClosed(link: PeerLink): void {
    this.#links.delete(link)
    this.#freePlace(link)
    if (this.#links.size === 0) this.#onAllClosed()
  }

  #accept(connection: TcpConnection): void {
    if (this.#isStopped) {
      connection.destroy()
      return
    }
    const { host } = connection.remoteAddress
    let link: PeerLink | undefined
    const nowMs = this.#options.host.clock.monotonic()
    const isAllowed = this.#attempts.allows(host, nowMs) || this.#maintained.hasHost(host)
    const free = isAllowed ? this.#pending.take(host, () => link?.destroy()) : undefined
    if (free === undefined) {
      connection.destroy()
      return
    }
    link = this.#link(connection, undefined)
    this.#places.set(link, free)
    link.start()
  }

  #connected(contact: NodeContact, connection: TcpConnection): void {
    try {
      this.#link(connection, contact).start()
    } catch (error) {
      connection.destroy()
      if (!isNodeError(error, 'INVALID_PUBLIC_KEY')) throw error
      this.#dialer.ended(nodeKey(contact.id), 'unexpectedIdentity', 0)
      this.#options.log.debug('the node id of the peer is not a public key', { host: contact.host })
    }
  }

  #link(connection: TcpConnection, dialled: NodeContact | undefined): PeerLink {
    const { host, protocols, meter } = this.#options
    const options = {
      connection,
      dialled,
      local: this.#local,
      protocols,
      owner: this,
      work: this.#work,
      turns: this.#turns,
      meter,
    }
    const link = new PeerLink(host, options, randomUint32(host.random))
    this.#links.add(link)
    return link
  }

  #isWelcome(contact: NodeContact): boolean {
    const key = nodeKey(contact.id)
    if (key === this.#selfKey || this.#open.has(key) || this.#refused.has(key, this.#maintained.has(key))) return false
    const isPermitted = this.#options.permits?.(contact, 'outbound') ?? true
    if (!isPermitted && this.#maintained.has(key)) this.#withheld.add(key)
    return isPermitted
  }

  #isPermitted(link: PeerLink): boolean {
    return this.#options.permits?.(link.contact, link.isInbound ? 'inbound' : 'outbound') ?? true
  }

  /** The reason to disconnect a peer that was permitted when it was dialled or admitted, but no longer is. */
  #withdrawal(link: PeerLink): DisconnectReason | undefined {
    if (this.#isPermitted(link)) return undefined
    if (link.isMaintained) this.#withheld.add(link.key)
    return 'requested'
  }

  /** A second connection is allowed if both sides have dialled and neither connection is admitted yet. */
  #refusal(link: PeerLink): DisconnectReason | undefined {
    if (this.#isStopped) return 'quitting'
    const isDuplicate = (this.#open.get(link.key) ?? []).some(
      (other) => other.state === 'admitted' || other.isInbound === link.isInbound,
    )
    if (isDuplicate) return link.isInbound ? 'unknown' : 'alreadyConnected'
    if (!link.isInbound) return this.#withdrawal(link)
    const isFull = this.#admitted.size >= this.#options.limits.maxPeers
    return isFull || this.#refused.has(link.key, link.isMaintained) || !this.#isPermitted(link) ? 'unknown' : undefined
  }

  /** @param rival a connection to the same peer, whose place the new one takes if it is admitted */
  #refusalOfLimits(link: PeerLink, rival: PeerLink | undefined): DisconnectReason | undefined {
    if (link.isMaintained) return undefined
    const { limits } = this.#options
    const others = [...this.#admitted].filter((other) => other !== rival)
    if (others.length >= limits.maxPeers) return 'tooManyPeers'
    if (!link.isInbound) return undefined
    const inbound = others.filter((other) => other.isInbound && !other.isMaintained)
    if (!this.#hasRoom(link, inbound)) return 'tooManyPeers'
    if (inbound.length < maxInbound(limits)) return undefined
    if (!limits.hasRandomPriority) return 'tooManyPeers'
    const least = inbound.reduce((a, b) => (b.priority < a.priority ? b : a), link)
    if (least === link) return 'tooManyPeers'
    least.disconnect('tooManyPeers', 'another inbound peer has a higher priority')
    return undefined
  }

  /** Whether the ranges of its address have places left. */
  #hasRoom(link: PeerLink, inbound: readonly PeerLink[]): boolean {
    const counts = new RangeCounts()
    for (const { remoteAddress } of inbound) counts.add(this.#rangesOf(remoteAddress.host))
    const places = sitePlaces(maxInbound(this.#options.limits), this.#share.inboundPercent)
    return counts.hasRoom(this.#rangesOf(link.remoteAddress.host), places)
  }

  /** With rules of the operator for nodes, new ids are of no use to an attacker, so all nodes are exempt. */
  #rangesOf(host: string): AddressRanges {
    return this.#options.permits === undefined ? publicRangesOf(host) : []
  }

  /** When two connections cross, both sides keep the one that the node with the lower id dialled. */
  #preferred(a: PeerLink, b: PeerLink): PeerLink {
    const isLower = compareBytes(this.#options.host.signer.publicKey, a.id) < 0
    return a.isInbound === isLower ? b : a
  }

  #freePlace(link: PeerLink): void {
    this.#places.get(link)?.()
    this.#places.delete(link)
  }

  #noteEnd(link: PeerLink, end: SessionEnd, details: string | undefined): void {
    if (!link.isMaintained) this.#refused.note(link.key, end)
    const { reason, by, error } = end
    this.#options.log.trace('a connection has ended', {
      peer: link.key.slice(0, 16),
      host: link.remoteAddress.host,
      client: link.hello.clientId,
      reason,
      by,
      ...(details === undefined ? {} : { details }),
      ...(error === undefined ? {} : { error: error.message }),
    })
  }
}
