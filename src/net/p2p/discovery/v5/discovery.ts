/**
 * Node Discovery v5.1 as a state machine: exchange of records. It has no socket, clock or timer.
 * @see devp2p, discv5-theory.md, discv5-wire.md
 * @module
 */
import { MAX_DISCOVERY_REQUESTS } from '../../../../base/limits/limits.ts'
import { randomUint32 } from '../../../../base/ports/random.ts'
import type { SocketAddress } from '../../../../base/ports/tcpSockets.ts'
import { bytesToHexUnprefixed, EMPTY_BYTES } from '../../../../base/primitives/bytes.ts'
import { type NodeRecord, nodeHash, tryDecodeRecord } from '../nodeRecord.ts'
import { RateLimiter } from '../rateLimiter.ts'
import { recordAddress } from '../recordEntries.ts'
import { isRelayable } from '../relayRules.ts'
import { logDistance, NodeTable, nodeKey, type TableNode, tableNode } from '../table.ts'
import type { Moment } from '../v4/contract.ts'
import type { DiscoveryV5Effect, DiscoveryV5Event, DiscoveryV5Options } from './contract.ts'
import { decodeMessageV5, encodeMessageV5, type MessageV5 } from './messages.ts'
import { type PacketV5, readPacketV5 } from './packet.ts'
import * as rules from './rules.ts'
import { Sessions } from './sessions.ts'

/** A request that waits for its answer. */
interface Request {
  readonly node: TableNode
  readonly record: NodeRecord
  readonly message: MessageV5
  nonce: string
  isHandshaken: boolean
  readonly endMs: number
  /** NODES messages and records received. */
  messages: number
  records: number
}

const FIND_SELF: readonly number[] = [0]
const ID_BYTES = 8

const addressOf = ({ host, udpPort }: TableNode): SocketAddress => ({ host, port: udpPort })

export class DiscoveryV5 {
  readonly table: NodeTable
  readonly #options: DiscoveryV5Options
  readonly #self: Uint8Array
  readonly #sessions: Sessions
  readonly #limiter: RateLimiter
  /** By request id. */
  readonly #requests = new Map<string, Request>()
  /** Failures in a row by node; only of nodes in the table. */
  readonly #failures = new Map<string, number>()
  #effects: DiscoveryV5Effect[] = []
  #nowMs: number
  #sweepAtMs: number

  constructor(options: DiscoveryV5Options, now: Moment) {
    this.#options = options
    this.#self = nodeHash(options.signer.publicKey)
    this.table = new NodeTable(this.#self, options.share)
    this.#sessions = new Sessions(options.signer, options.random, () => options.record())
    this.#nowMs = now.monotonicMs
    this.#limiter = new RateLimiter(this.#nowMs)
    this.#sweepAtMs = this.#nowMs + rules.SWEEP_MS
  }

  /** Monotonic time at which a tick is due. */
  get nextAtMs(): number {
    let next = this.#sweepAtMs
    for (const { endMs } of this.#requests.values()) if (endMs < next) next = endMs
    return next
  }

  get pending(): number {
    return this.#requests.size
  }

  handle(event: DiscoveryV5Event, now: Moment): readonly DiscoveryV5Effect[] {
    this.#nowMs = now.monotonicMs
    this.#effects = []
    if (event.kind === 'packet') this.#receive(event.bytes, event.from)
    else if (event.kind === 'tick') this.#tick()
    else for (const record of event.records) this.#check(record)
    return this.#effects
  }

  #send(bytes: Uint8Array, to: SocketAddress): void {
    this.#effects.push({ kind: 'send', bytes, to })
  }

  #receive(bytes: Uint8Array, from: SocketAddress): void {
    const packet = readPacketV5(this.#self, bytes)
    if (packet === undefined) return
    const { header } = packet
    if (header.kind === 'whoAreYou') {
      this.#answerChallenge(packet, from)
      return
    }
    if (!this.#mayExamine(packet, from)) return
    const openedMessage =
      header.kind === 'handshake'
        ? this.#sessions.complete(from, packet, this.#nowMs)
        : this.#sessions.open(header.source, from, packet)
    if (openedMessage !== undefined) {
      const message = decodeMessageV5(openedMessage.plain)
      if (message !== undefined && this.#options.allows(openedMessage.record.publicKey, from.host))
        this.#accept(message, openedMessage.record, from)
    } else if (header.kind === 'message') {
      const record = this.#recordOf(header.source)
      this.#send(this.#sessions.challenge(header.source, from, header.nonce, record, this.#nowMs), from)
    }
  }

  /** Handshakes are the costly packets: only one is examined for each challenge, and few per second. */
  #mayExamine({ header }: PacketV5, from: SocketAddress): boolean {
    if (header.kind === 'handshake') {
      const isExpected = this.#sessions.isChallenged(header.source, from, this.#nowMs)
      return isExpected && this.#limiter.allowsHandshake(from.host, this.#nowMs)
    }
    const isProven = header.kind === 'message' && this.#sessions.has(header.source, from)
    return this.#limiter.allows(from.host, isProven, this.#nowMs)
  }

  /** The record of a node in the table, by its hash. */
  #recordOf(hash: Uint8Array): NodeRecord | undefined {
    const key = nodeKey(hash)
    return this.table.atDistance(logDistance(this.#self, hash)).find((node) => nodeKey(node.hash) === key)?.record
  }

  /**
   * A challenge is valid once, in answer to a pending request, whose nonce it repeats. Nobody can forge the nonce blindly, so
   * challenges are not counted with the packets of unproven senders.
   */
  #answerChallenge(packet: PacketV5, from: SocketAddress): void {
    const nonce = bytesToHexUnprefixed(packet.header.nonce)
    for (const request of this.#requests.values()) {
      const { node, record, message } = request
      if (request.nonce !== nonce || request.isHandshaken || node.host !== from.host || node.udpPort !== from.port)
        continue
      const sealed = this.#sessions.answer(record, from, packet, encodeMessageV5(message))
      request.isHandshaken = true
      if (sealed !== undefined) this.#send(sealed.bytes, from)
      return
    }
  }

  #accept(message: MessageV5, record: NodeRecord, from: SocketAddress): void {
    const { requestId } = message
    switch (message.type) {
      case 'ping':
        this.#reply({ type: 'pong', requestId, enrSeq: this.#options.record().seq, ...from }, record, from)
        if (message.enrSeq > record.seq) this.#refresh(record)
        else this.#verify(record, from)
        break
      case 'findNode':
        this.#onFindNode(message.distances, requestId, record, from)
        break
      case 'talkRequest':
        this.#reply({ type: 'talkResponse', requestId, data: EMPTY_BYTES }, record, from)
        break
      default:
        this.#onAnswer(message, record, from)
    }
  }

  #reply(message: MessageV5, record: NodeRecord, to: SocketAddress): void {
    this.#send(this.#sessions.seal(nodeHash(record.publicKey), to, encodeMessageV5(message)).bytes, to)
  }

  /** A node that pings is added to the table after it has answered a ping at the address of its record. */
  #verify(record: NodeRecord, from: SocketAddress): void {
    const address = recordAddress(record)
    if (address?.host !== from.host || address.udpPort !== from.port) return
    if (this.table.get(nodeKey(record.publicKey)) === undefined) this.#check(record)
  }

  #onFindNode(distances: readonly number[], requestId: Uint8Array, record: NodeRecord, from: SocketAddress): void {
    const answers: NodeRecord[] = []
    for (const distance of new Set(distances)) {
      if (distance === 0) answers.push(this.#options.record())
      for (const node of this.table.atDistance(distance)) {
        if (node.record !== undefined && isRelayable(node.host, from.host)) answers.push(node.record)
      }
    }
    const chunks: Uint8Array[][] = [[]]
    let size = 0
    for (const { bytes } of answers.slice(0, rules.MAX_NODES)) {
      if (size + bytes.length > rules.MAX_RECORDS_BYTES) {
        chunks.push([])
        size = 0
      }
      chunks.at(-1)?.push(bytes)
      size += bytes.length
    }
    for (const records of chunks) {
      this.#reply({ type: 'nodes', requestId, total: chunks.length, records }, record, from)
    }
  }

  #onAnswer(message: MessageV5, record: NodeRecord, from: SocketAddress): void {
    const id = bytesToHexUnprefixed(message.requestId)
    const request = this.#requests.get(id)
    if (request === undefined || request.node.key !== nodeKey(record.publicKey)) return
    if (request.node.host !== from.host || request.node.udpPort !== from.port) return
    if (message.type === 'pong' && request.message.type === 'ping') {
      this.#requests.delete(id)
      this.#alive(request)
      if (message.enrSeq > request.record.seq) this.#refresh(request.record)
    } else if (message.type === 'nodes' && request.message.type === 'findNode') {
      request.messages++
      if (request.messages >= Math.min(message.total, rules.MAX_NODES_MESSAGES)) this.#requests.delete(id)
      const space = rules.MAX_NODES - request.records
      request.records += message.records.length
      for (const bytes of message.records.slice(0, Math.max(space, 0)))
        this.#onRecord(bytes, request, request.message.distances)
    }
  }

  /** @param distances requested from the sender */
  #onRecord(bytes: Uint8Array, { node }: Request, distances: readonly number[]): void {
    const record = tryDecodeRecord(bytes)
    if (record === undefined || !distances.includes(logDistance(node.hash, nodeHash(record.publicKey)))) return
    const address = recordAddress(record)
    if (address === undefined || !isRelayable(address.host, node.host)) return
    const entry = this.table.get(nodeKey(record.publicKey))
    if (entry === undefined || (entry.record?.seq ?? -1n) < record.seq) this.#check(record)
  }

  #alive({ node, record }: Request): void {
    const isNew = this.table.get(node.key)?.record !== record
    this.#failures.delete(node.key)
    const alive = { ...node, lastSeenMs: this.#nowMs }
    const oldest = this.table.put(alive)
    if (oldest?.record !== undefined) this.#check(oldest.record)
    else if (isNew && this.table.get(node.key) === alive) this.#effects.push({ kind: 'found', node: alive })
  }

  /** Pings a node; its answer adds it to the table. */
  #check(record: NodeRecord): void {
    this.#request(record, (requestId) => ({ type: 'ping', requestId, enrSeq: this.#options.record().seq }))
  }

  /** Asks a node for its current record. */
  #refresh(record: NodeRecord): void {
    this.#request(record, (requestId) => ({ type: 'findNode', requestId, distances: FIND_SELF }))
  }

  /** At most one request of a type is pending for a node. */
  #request(record: NodeRecord, create: (requestId: Uint8Array) => MessageV5): void {
    const { random, allows, acceptsRecord } = this.#options
    const address = recordAddress(record)
    if (address?.udpPort === undefined || this.#requests.size >= MAX_DISCOVERY_REQUESTS) return
    const { host, udpPort, tcpPort = 0 } = address
    const node = tableNode({ id: record.publicKey, host, udpPort, tcpPort }, this.#nowMs, record)
    if (nodeKey(node.hash) === nodeKey(this.#self) || !allows(node.id, host) || !acceptsRecord(record)) return
    const message = create(random.bytes(ID_BYTES))
    for (const other of this.#requests.values()) {
      if (other.node.key === node.key && other.message.type === message.type) return
    }
    const { bytes, nonce } = this.#sessions.seal(node.hash, addressOf(node), encodeMessageV5(message))
    this.#requests.set(bytesToHexUnprefixed(message.requestId), {
      node,
      record,
      message,
      nonce: bytesToHexUnprefixed(nonce),
      isHandshaken: false,
      endMs: this.#nowMs + rules.REQUEST_MS,
      messages: 0,
      records: 0,
    })
    this.#send(bytes, addressOf(node))
  }

  #tick(): void {
    for (const [id, { endMs, node, messages }] of [...this.#requests]) {
      if (endMs > this.#nowMs) continue
      this.#requests.delete(id)
      if (messages === 0) this.#failed(node)
    }
    if (this.#nowMs < this.#sweepAtMs) return
    this.#sweepAtMs = this.#nowMs + rules.SWEEP_MS
    const { allows } = this.#options
    for (const node of [...this.table.nodes()]) if (!allows(node.id, node.host)) this.#remove(node)
    const nodes = [...this.table.nodes()]
    const stale = nodes.filter(({ lastSeenMs }) => this.#nowMs - lastSeenMs >= rules.STALE_MS)
    for (const { record } of stale.slice(0, rules.MAX_SWEEP_PINGS)) if (record !== undefined) this.#check(record)
    const record = nodes[randomUint32(this.#options.random) % Math.max(nodes.length, 1)]?.record
    if (record !== undefined) this.#search(record)
  }

  /** Asks a node for others. Half of all nodes are at distance 256, a quarter at 255, and so on. */
  #search(record: NodeRecord): void {
    const random = randomUint32(this.#options.random)
    const nearest = 256 - Math.clz32(random | 1)
    const distances = Array.from({ length: rules.SEARCH_DISTANCES }, (_, i) => Math.max(1, nearest - i))
    this.#request(record, (requestId) => ({ type: 'findNode', requestId, distances: [...new Set(distances)] }))
  }

  #failed(node: TableNode): void {
    if (this.table.get(node.key) === undefined) return
    const failures = (this.#failures.get(node.key) ?? 0) + 1
    this.#failures.set(node.key, failures)
    if (failures >= rules.MAX_FAILURES) this.#remove(node)
  }

  #remove({ key, hash, id }: TableNode): void {
    this.#failures.delete(key)
    const replacement = this.table.remove({ key, hash })
    this.#effects.push({ kind: 'lost', id })
    if (replacement?.record !== undefined) this.#check(replacement.record)
  }
}
