import { MAX_ANSWERING_PINGS, MAX_DISCOVERY_REQUESTS } from '../../../../base/limits/limits.ts'
import type { SocketAddress } from '../../../../base/ports/tcpSockets.ts'
import { bytesToHexUnprefixed } from '../../../../base/primitives/bytes.ts'
import { type NodeContact, nodeKey } from '../table.ts'
import type { Neighbor } from './messages.ts'
import type { SignedPacket } from './packet.ts'
import { MAX_ANSWERED_NEIGHBORS, ONCE, type Retries } from './rules.ts'

export type RequestKind = 'ping' | 'findNode' | 'enrRequest'

/** A request that waits for its answer. */
export interface PendingRequest {
  readonly kind: RequestKind
  readonly node: NodeContact
  readonly key: string
  readonly packet: SignedPacket
  readonly retries: Retries
  /** Answers with its hash whose signature was recovered. */
  examined: number
  /** Number of times that it was sent. */
  sent: number
  /** Monotonic time of the next sending, or of the failure. */
  atMs: number
  /** Nodes received in answer to FindNode; undefined before the first packet. */
  neighbors: Neighbor[] | undefined
}

const endpointOf = (kind: RequestKind, { id, host, udpPort }: NodeContact): string =>
  `${kind} ${nodeKey(id)} ${host} ${udpPort}`

/** Requests to different nodes can be equal, so the address is part of the key. */
const hashKey = (hash: Uint8Array, host: string, port: number): string =>
  `${bytesToHexUnprefixed(hash)} ${host} ${port}`

/** At most one request of a kind is pending for a node at an address. */
export class PacketRequests {
  readonly #byEndpoint = new Map<string, PendingRequest>()
  readonly #byHash = new Map<string, PendingRequest>()
  #answering = 0

  get size(): number {
    return this.#byHash.size
  }

  /** Monotonic time of the next event; infinite without requests. */
  get nextAtMs(): number {
    let next = Number.POSITIVE_INFINITY
    for (const { atMs } of this.#byHash.values()) if (atMs < next) next = atMs
    return next
  }

  has(kind: RequestKind, node: NodeContact): boolean {
    return this.#byEndpoint.has(endpointOf(kind, node))
  }

  /** Whether a bound would be exceeded. */
  isFull(retries: Retries): boolean {
    return this.size >= MAX_DISCOVERY_REQUESTS || (retries === ONCE && this.#answering >= MAX_ANSWERING_PINGS)
  }

  /**
   * @param atMs time of the first sending
   * @returns false when an equal packet to another node at the same address is pending
   */
  add(kind: RequestKind, node: NodeContact, packet: SignedPacket, retries: Retries, atMs: number): boolean {
    const key = nodeKey(node.id)
    const hash = hashKey(packet.hash, node.host, node.udpPort)
    if (this.#byHash.has(hash)) return false
    const request = { kind, node, key, packet, retries, examined: 0, sent: 0, atMs, neighbors: undefined }
    this.#byEndpoint.set(endpointOf(kind, node), request)
    this.#byHash.set(hash, request)
    if (retries === ONCE) this.#answering++
    return true
  }

  /** @param from address of the answer, which must be that of the request */
  byHash(kind: RequestKind, hash: Uint8Array, from: SocketAddress): PendingRequest | undefined {
    const request = this.#byHash.get(hashKey(hash, from.host, from.port))
    return request?.kind === kind ? request : undefined
  }

  byNode(kind: RequestKind, node: Pick<NodeContact, 'id' | 'host' | 'udpPort'>): PendingRequest | undefined {
    return this.#byEndpoint.get(endpointOf(kind, { ...node, tcpPort: 0 }))
  }

  /** Whether a FindNode to any node at an address is pending. */
  asks({ host, port }: SocketAddress): boolean {
    for (const { kind, node } of this.#byHash.values()) {
      if (kind === 'findNode' && node.host === host && node.udpPort === port) return true
    }
    return false
  }

  remove(request: PendingRequest): void {
    const { host, udpPort } = request.node
    if (!this.#byHash.delete(hashKey(request.packet.hash, host, udpPort))) return
    this.#byEndpoint.delete(endpointOf(request.kind, request.node))
    if (request.retries === ONCE) this.#answering--
  }

  /** Takes the requests whose time has come; those that are over are removed. */
  due(nowMs: number): { readonly toSend: PendingRequest[]; readonly over: PendingRequest[] } {
    const toSend: PendingRequest[] = []
    const over: PendingRequest[] = []
    for (const request of [...this.#byHash.values()]) {
      if (request.atMs > nowMs) continue
      if (request.sent >= request.retries.length || request.neighbors !== undefined) {
        this.remove(request)
        over.push(request)
      } else {
        request.atMs = nowMs + (request.retries[request.sent] as number)
        request.sent++
        toSend.push(request)
      }
    }
    return { toSend, over }
  }
}

/** @returns whether the answer is complete */
export function collectNeighbors(request: PendingRequest, nodes: readonly Neighbor[]): boolean {
  const seenIds = new Set((request.neighbors ?? []).map(({ id }) => nodeKey(id)))
  request.neighbors = [...(request.neighbors ?? []), ...nodes.filter(({ id }) => !seenIds.has(nodeKey(id)))]
  request.neighbors.length = Math.min(request.neighbors.length, MAX_ANSWERED_NEIGHBORS)
  return request.neighbors.length === MAX_ANSWERED_NEIGHBORS
}
