/**
 * Node Discovery v4 as a state machine: it has no socket, clock or timer.
 * @see devp2p, discv4.md
 * @module
 */
import { MAX_REFUSED_NODES } from '../../../../base/limits/limits.ts'
import type { SocketAddress } from '../../../../base/ports/tcpSockets.ts'
import { equalBytes } from '../../../../base/primitives/bytes.ts'
import { LruCache } from '../../../../base/primitives/lruCache.ts'
import { nodeHash, tryDecodeRecord } from '../nodeRecord.ts'
import { isRelayable } from '../relayRules.ts'
import { type NodeContact, NodeTable, nodeKey, type TableNode, tableNode } from '../table.ts'
import { fittingNeighbors, freshPing } from './compose.ts'
import type { DiscoveryEffect, DiscoveryEvent, DiscoveryOptions, Moment } from './contract.ts'
import { EndpointProofs } from './endpointProofs.ts'
import { type Admitted, Gate } from './gate.ts'
import type { Message, Neighbor } from './messages.ts'
import { createPacket } from './packet.ts'
import { collectNeighbors, PacketRequests, type PendingRequest } from './requests.ts'
import * as rules from './rules.ts'
import { Searches } from './searches.ts'
import { Upkeep } from './upkeep.ts'

/** An admitted message of one type. */
interface Received<T extends Message['type']> extends Admitted {
  readonly message: Extract<Message, { type: T }>
  readonly from: SocketAddress
}

const addressOf = ({ host, udpPort }: NodeContact): SocketAddress => ({ host, port: udpPort })

export class DiscoveryV4 {
  readonly table: NodeTable
  readonly #options: DiscoveryOptions
  readonly #gate: Gate
  readonly #proofs = new EndpointProofs()
  readonly #requests = new PacketRequests()
  readonly #searches: Searches
  /** Nodes on other chains, with the time of their record. */
  readonly #refused = new LruCache<string, number>(MAX_REFUSED_NODES)
  #effects: DiscoveryEffect[] = []
  #now: Moment
  #isWanting = false
  #hasSearched = false
  readonly #upkeep: Upkeep

  constructor(options: DiscoveryOptions, now: Moment) {
    const { publicKey } = options.signer
    this.#options = options
    this.#now = now
    this.table = new NodeTable(nodeHash(publicKey), options.share)
    this.#searches = new Searches(publicKey, this.table, options.share)
    this.#gate = new Gate(options, this.#proofs, this.#requests, now)
    this.#upkeep = new Upkeep(now.monotonicMs)
  }

  /** Monotonic time at which a tick is due. */
  get nextAtMs(): number {
    return Math.min(this.#requests.nextAtMs, this.#upkeep.nextAtMs)
  }

  /** Number of requests that wait for an answer. */
  get pending(): number {
    return this.#requests.size
  }

  handle(event: DiscoveryEvent, now: Moment): readonly DiscoveryEffect[] {
    this.#now = now
    this.#effects = []
    switch (event.kind) {
      case 'start':
        this.#contactBootnodes()
        break
      case 'packet':
        this.#receive(event.bytes, event.from)
        break
      case 'tick':
        this.#tick()
        break
      case 'lookup':
        if (!this.#searches.add(event.target)) this.#emit({ kind: 'lookupDone', target: event.target, nodes: [] })
        break
      case 'contacts':
        for (const node of event.nodes) this.#bond(node, rules.BRIEF)
        break
      case 'peersWanted':
        this.#isWanting = event.isWanted
    }
    do this.#advanceSearches()
    while (this.#sendDue())
    return this.#effects
  }

  #emit(effect: DiscoveryEffect): void {
    this.#effects.push(effect)
  }

  #send(message: Message, to: SocketAddress): void {
    this.#emit({ kind: 'send', bytes: createPacket(this.#options.signer, message).bytes, to })
  }

  get #expiration(): number {
    return Math.floor(this.#now.unixMs / 1000) + rules.EXPIRATION_SECONDS
  }

  #receive(bytes: Uint8Array, from: SocketAddress): void {
    const packet = this.#gate.admit(bytes, from, this.#now)
    if (packet !== undefined) this.#accept(packet.message, { ...packet, from })
  }

  #accept(message: Message, rest: Omit<Received<'ping'>, 'message'>): void {
    switch (message.type) {
      case 'ping':
        this.#onPing({ message, ...rest })
        break
      case 'pong':
        this.#onPong({ message, ...rest })
        break
      case 'findNode':
        this.#onFindNode({ message, ...rest })
        break
      case 'neighbors':
        this.#onNeighbors({ message, ...rest })
        break
      case 'enrRequest':
        this.#onRecordRequest({ message, ...rest })
        break
      case 'enrResponse':
        this.#onRecord({ message, ...rest })
    }
  }

  #onPing({ message, hash, sender, key, from }: Received<'ping'>): void {
    const { host, port } = from
    const to = { host, udpPort: port, tcpPort: message.from.tcpPort }
    this.#send(
      { type: 'pong', to, pingHash: hash, expiration: this.#expiration, enrSeq: this.#options.record().seq },
      from,
    )
    this.#proofs.answer(key, from, this.#now.monotonicMs)
    const node = { id: sender, ...to }
    const isVerified = this.#proofs.isVerified(key, from, this.#now.monotonicMs)
    if (!isVerified || this.#refused.get(key) !== undefined) this.#bond(node, rules.ONCE)
    else if (this.table.get(key) !== undefined) this.#insert(node, message.enrSeq)
  }

  #onPong({ message, key, from }: Received<'pong'>): void {
    const request = this.#requests.byHash('ping', message.pingHash, from)
    if (request === undefined || request.key !== key) return
    this.#requests.remove(request)
    this.#proofs.verify(key, from, this.#now.monotonicMs)
    this.#insert(request.node, message.enrSeq)
    // A node that others contact can wait: their pings fill its table.
    if (this.#hasSearched || request.retries === rules.ONCE) return
    this.#hasSearched = true
    this.#searchWidely()
  }

  #onFindNode({ message, key, from }: Received<'findNode'>): void {
    if (!this.#proofs.isVerified(key, from, this.#now.monotonicMs) || this.#isRefused(key)) return
    const nearest = this.table
      .nearest(nodeHash(message.target), 2 * rules.MAX_NEIGHBORS)
      .filter((node) => isRelayable(node.host, from.host))
    this.#send({ type: 'neighbors', nodes: fittingNeighbors(nearest), expiration: this.#expiration }, from)
  }

  #onNeighbors({ message, sender, from }: Received<'neighbors'>): void {
    const request = this.#requests.byNode('findNode', { id: sender, host: from.host, udpPort: from.port })
    if (request === undefined || request.sent === 0) return
    const isFirst = request.neighbors === undefined
    const usable = message.nodes.filter(({ host, udpPort }) => udpPort > 0 && isRelayable(host, from.host))
    if (collectNeighbors(request, usable)) {
      this.#requests.remove(request)
      this.#searches.answered(sender, request.neighbors as Neighbor[])
    } else if (isFirst) request.atMs = this.#now.monotonicMs + rules.NEIGHBORS_GRACE_MS
  }

  #onRecordRequest({ hash, key, from }: Received<'enrRequest'>): void {
    if (!this.#proofs.isVerified(key, from, this.#now.monotonicMs)) return
    this.#send({ type: 'enrResponse', requestHash: hash, record: this.#options.record().bytes }, from)
  }

  #onRecord({ message, key, from }: Received<'enrResponse'>): void {
    const request = this.#requests.byHash('enrRequest', message.requestHash, from)
    if (request === undefined || request.key !== key) return
    const record = tryDecodeRecord(message.record)
    if (record === undefined || !equalBytes(record.publicKey, request.node.id)) return
    this.#requests.remove(request)
    const node = this.table.get(key)
    if (!this.#options.acceptsRecord(record)) {
      this.#refused.set(key, this.#now.monotonicMs)
      this.#drop(tableNode(request.node, 0))
      return
    }
    if (node === undefined || (node.record !== undefined && node.record.seq > record.seq)) return
    this.table.setRecord(key, record)
    this.#emit({ kind: 'found', node: { ...node, record } })
  }

  /**
   * Starts an endpoint proof.
   * @returns false when the node may not be contacted or a bound is reached
   */
  #bond(node: NodeContact, retries: rules.Retries): boolean {
    const { signer, allows, self } = this.#options
    if (node.udpPort === 0 || equalBytes(node.id, signer.publicKey) || !allows(node.id, node.host)) return false
    if (this.#isRefused(nodeKey(node.id))) return false
    if (this.#requests.has('ping', node)) return true
    if (this.#requests.isFull(retries)) return false
    const packet = createPacket(signer, freshPing(self, node, this.#expiration, this.#options.record().seq))
    return this.#requests.add('ping', node, packet, retries, this.#now.monotonicMs)
  }

  #isRefused(key: string): boolean {
    const since = this.#refused.get(key)
    return since !== undefined && this.#now.monotonicMs - since < rules.REFUSAL_MS
  }

  /** Adds a proven node to the table, asks for its record if there is a newer one, and continues lookups. */
  #insert(contact: NodeContact, enrSeq: bigint | undefined): void {
    const key = nodeKey(contact.id)
    if (this.#isRefused(key)) return
    this.#refused.delete(key)
    const entry = this.table.get(key)
    const tcpPort = contact.tcpPort === 0 ? (entry?.tcpPort ?? 0) : contact.tcpPort
    const node = tableNode({ ...contact, tcpPort }, this.#now.monotonicMs, entry?.record)
    const oldest = this.table.put(node)
    if (oldest !== undefined && this.#isStale(oldest.lastSeenMs, rules.SWEEP_MS)) this.#bond(oldest, rules.PATIENT)
    if (this.table.get(key) === node) {
      const isNewer = enrSeq !== undefined && enrSeq > (node.record?.seq ?? -1n)
      const isAsked = isNewer && this.#query('enrRequest', node)
      if (entry === undefined && !isAsked) this.#emit({ kind: 'found', node })
    }
    this.#searches.proven(contact)
  }

  #isStale(lastSeenMs: number, limitMs: number): boolean {
    return this.#now.monotonicMs - lastSeenMs >= limitMs
  }

  #searchWidely(): void {
    const { signer, random } = this.#options
    this.#searches.add(signer.publicKey)
    for (let i = 0; i < rules.START_LOOKUPS; i++) this.#searches.add(random.bytes(64))
  }

  #advanceSearches(): void {
    this.#searches.advance(
      (node, target) => {
        if (!this.#proofs.isVerified(nodeKey(node.id), addressOf(node), this.#now.monotonicMs)) {
          return this.#bond(node, rules.BRIEF) ? 'bonding' : 'failed'
        }
        return this.#query('findNode', node, target) ? 'asked' : 'failed'
      },
      ({ target, result }) => this.#emit({ kind: 'lookupDone', target, nodes: result }),
    )
  }

  /** @param target of FindNode @returns false when a bound is reached */
  #query(kind: 'findNode' | 'enrRequest', node: NodeContact, target?: Uint8Array): boolean {
    if (this.#requests.has(kind, node) || this.#requests.isFull(rules.BRIEF)) return false
    const { monotonicMs } = this.#now
    const expiration = this.#expiration
    const message: Message =
      target === undefined ? { type: 'enrRequest', expiration } : { type: 'findNode', target, expiration }
    const hasProof = this.#proofs.wasAnswered(nodeKey(node.id), addressOf(node), monotonicMs)
    const atMs = monotonicMs + (hasProof ? 0 : rules.PROOF_EXCHANGE_MS)
    return this.#requests.add(kind, node, createPacket(this.#options.signer, message), rules.BRIEF, atMs)
  }

  /** @returns whether a request is over, which may allow a lookup to continue */
  #sendDue(): boolean {
    const { toSend, over } = this.#requests.due(this.#now.monotonicMs)
    for (const { packet, node } of toSend) this.#emit({ kind: 'send', bytes: packet.bytes, to: addressOf(node) })
    for (const request of over) this.#onOver(request)
    return over.length > 0
  }

  #onOver({ kind, node, neighbors, key }: PendingRequest): void {
    const entry = this.table.get(key)
    if (neighbors !== undefined) {
      this.#searches.answered(node.id, neighbors)
      return
    }
    if (kind === 'enrRequest') {
      if (entry !== undefined && entry.record === undefined) this.#emit({ kind: 'found', node: entry })
      return
    }
    this.#searches.failed(node.id)
    if (entry === undefined || entry.host !== node.host || entry.udpPort !== node.udpPort) return
    if (kind === 'ping') this.#expel(entry)
    else this.#bond(entry, rules.PATIENT)
  }

  /** Also voids its endpoint proof. A node on another chain keeps it: its own request for our record is answered. */
  #expel(node: TableNode): void {
    this.#proofs.revoke({ host: node.host, port: node.udpPort })
    this.#drop(node)
  }

  /** Removes a node from the table. A replacement has its own proof; it is pinged unless it was seen lately. */
  #drop(node: Pick<TableNode, 'id' | 'key' | 'hash'>): void {
    const isKnown = this.table.get(node.key) !== undefined
    const replacement = this.table.remove(node)
    if (isKnown) this.#emit({ kind: 'lost', id: node.id })
    if (replacement === undefined) return
    this.#emit({ kind: 'found', node: replacement })
    if (this.#isStale(replacement.lastSeenMs, rules.SWEEP_MS)) this.#bond(replacement, rules.PATIENT)
  }

  #tick(): void {
    const { monotonicMs } = this.#now
    if (this.#upkeep.isDue('sweep', monotonicMs)) {
      const { allows } = this.#options
      for (const node of [...this.table.nodes()]) if (!allows(node.id, node.host)) this.#expel(node)
      const stale = [...this.table.nodes()].filter(({ lastSeenMs }) => this.#isStale(lastSeenMs, rules.STALE_MS))
      for (const node of stale.slice(0, rules.MAX_SWEEP_PINGS)) this.#bond(node, rules.PATIENT)
    }
    if (this.#upkeep.isDue('refresh', monotonicMs)) {
      this.#contactBootnodes()
      this.#searchWidely()
    }
    if (this.#upkeep.isDue('search', monotonicMs) && this.#isWanting) {
      if (this.table.size === 0) this.#contactBootnodes()
      else if (this.#searches.isIdle) this.#searches.add(this.#options.random.bytes(64))
    }
  }

  #contactBootnodes(): void {
    for (const node of this.#options.bootnodes) {
      const isVerified = this.#proofs.isVerified(nodeKey(node.id), addressOf(node), this.#now.monotonicMs)
      if (!isVerified || this.table.get(nodeKey(node.id)) === undefined) this.#bond(node, rules.PATIENT)
    }
  }
}
