/**
 * Collects announced transactions per peer, and requests those that the node lacks. When a peer does not deliver, the
 * next one that has announced the transaction is asked.
 * @see docs/reference/p2p.md section 8; EIP-5793
 * @module
 */
import {
  ANNOUNCEMENT_COLLECTION_MS,
  MAX_ANNOUNCED_TRANSACTIONS,
  MAX_EMPTY_TRANSACTION_ANSWERS,
  MAX_PEER_ANNOUNCED_TRANSACTIONS,
  MAX_REQUESTED_TRANSACTION_BYTES,
  MAX_REQUESTED_TRANSACTIONS,
  MAX_TRANSACTION_REQUESTS,
  MAX_TRANSACTION_SOURCES,
} from '../../base/limits/limits.ts'
import type { Logger } from '../../base/ports/host.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { keyToText } from '../../storage/keyText.ts'
import { canonicalEncoding } from '../../types/blobSidecar.ts'
import { BLOB_TYPE } from '../../types/transaction.ts'
import type { EthPeer } from '../eth/contract.ts'
import type { EncodedTransaction, NewPooledTransactionHashes } from '../protocols/eth/messages.ts'
import { hasOwnCommitments, hasSidecar, type ReceivedTransaction, received, typeOf } from './receivedTransaction.ts'

/** Highest transaction type that is understood. */
const LAST_TYPE = 4
/** Clients count the prefix of a typed transaction differently. */
const SIZE_TOLERANCE = 8
/** Delay before a peer with too many requests is asked again. */
const BUSY_MS = 100

/** Queues that one transaction can overflow, one after the other. */
const MAX_MOVES = 16

/** An announcement by one peer; type and size since eth/68. */
interface Source {
  readonly peer: EthPeer
  readonly type: number | undefined
  readonly size: number | undefined
}

interface Announced {
  readonly hash: Uint8Array
  readonly key: string
  /** Peers that have announced the transaction; the first one is, or will be, asked. */
  readonly sources: Source[]
}

interface PeerState {
  /** To be requested, oldest first. */
  readonly queue: Set<Announced>
  /** Continues at the oldest of the queue. A new iterator would pass all that were deleted before. */
  oldest: Iterator<Announced>
  timer: Timer | undefined
  requests: number
  /** Successive answers without a requested transaction. */
  emptyAnswers: number
}

export interface AnnouncedTransactionsDeps {
  readonly timers: Timers
  readonly logger: Pick<Logger, 'error'>
  /** Whether the transaction is in the pool, is being admitted, or was refused. */
  isKnown(hash: Uint8Array, key: string): boolean
  onDelivered(peer: EthPeer, transactions: readonly ReceivedTransaction[]): void
}

export class AnnouncedTransactions {
  readonly #deps: AnnouncedTransactionsDeps
  readonly #announced = new Map<string, Announced>()
  readonly #peers = new Map<EthPeer, PeerState>()
  #isStopped = false

  constructor(deps: AnnouncedTransactionsDeps) {
    this.#deps = deps
  }

  /** Number of transactions that are or will be requested. */
  get size(): number {
    return this.#announced.size
  }

  heard(peer: EthPeer, { hashes, forms }: NewPooledTransactionHashes): void {
    if (this.#isStopped || !peer.isOpen) return
    for (const [i, hash] of hashes.entries()) {
      peer.knowledge.transactions.add(hash)
      const type = forms?.types[i]
      const size = forms?.sizes[i]
      if (type !== undefined && type > LAST_TYPE) continue
      const key = keyToText(hash)
      if (!this.#deps.isKnown(hash, key)) this.#note(hash, key, { peer, type, size })
    }
  }

  /** The peer has left: the next source of each of its transactions is asked. */
  left(peer: EthPeer): void {
    const state = this.#peers.get(peer)
    if (state === undefined) return
    state.timer?.cancel()
    this.#peers.delete(peer)
    for (const announced of state.queue) this.#moveOn(announced, peer)
  }

  stop(): void {
    this.#isStopped = true
    for (const { timer } of this.#peers.values()) timer?.cancel()
    this.#peers.clear()
    this.#announced.clear()
  }

  #note(hash: Uint8Array, key: string, source: Source): void {
    const known = this.#announced.get(key)
    if (known !== undefined) {
      const { sources } = known
      const isNew = sources.length < MAX_TRANSACTION_SOURCES && sources.every(({ peer }) => peer !== source.peer)
      if (isNew) sources.push(source)
      return
    }
    if (this.#announced.size >= MAX_ANNOUNCED_TRANSACTIONS) return
    // A view would keep the whole message in memory.
    const announced: Announced = { hash: hash.slice(), key, sources: [source] }
    this.#announced.set(key, announced)
    this.#enqueue(announced, source.peer, ANNOUNCEMENT_COLLECTION_MS)
  }

  /**
   * Queues a transaction for a peer. A full queue gives up its oldest one to another source, whose queue may be full as
   * well; after a number of moves the last one is forgotten.
   */
  #enqueue(announced: Announced, peer: EthPeer, delayMs: number): void {
    let moved: Announced | undefined = announced
    let target = peer
    for (let moves = 0; moved !== undefined && moves < MAX_MOVES; moves++) {
      const state = this.#stateOf(target)
      state.queue.add(moved)
      const evicted = this.#overflow(state)
      this.#requestLater(target, state, moves === 0 ? delayMs : 0)
      const next = evicted && this.#nextSource(evicted, target)
      moved = next === undefined ? undefined : evicted
      target = next ?? target
    }
    if (moved !== undefined) this.#announced.delete(moved.key)
  }

  /** Removes the oldest transaction of a queue that is too long. */
  #overflow(state: PeerState): Announced | undefined {
    const { queue } = state
    const share = Math.floor(MAX_ANNOUNCED_TRANSACTIONS / this.#peers.size)
    if (queue.size <= Math.min(MAX_PEER_ANNOUNCED_TRANSACTIONS, share)) return undefined
    let next = state.oldest.next()
    if (next.done === true) {
      state.oldest = queue.values()
      next = state.oldest.next()
    }
    if (next.done !== true) queue.delete(next.value)
    return next.value
  }

  #stateOf(peer: EthPeer): PeerState {
    let state = this.#peers.get(peer)
    if (state === undefined) {
      const queue = new Set<Announced>()
      state = { queue, oldest: queue.values(), timer: undefined, requests: 0, emptyAnswers: 0 }
      this.#peers.set(peer, state)
    }
    return state
  }

  #requestLater(peer: EthPeer, state: PeerState, delayMs: number): void {
    if (this.#isStopped || state.timer !== undefined || state.queue.size === 0) return
    if (state.requests >= MAX_TRANSACTION_REQUESTS) return
    state.timer = this.#deps.timers.schedule(delayMs, () => {
      state.timer = undefined
      this.#request(peer, state)
    })
  }

  #request(peer: EthPeer, state: PeerState): void {
    if (!peer.isOpen) {
      const waiting = [...state.queue]
      state.queue.clear()
      for (const announced of waiting) this.#moveOn(announced, peer)
    }
    while (state.requests < MAX_TRANSACTION_REQUESTS && state.queue.size > 0) {
      if (!peer.hasCapacity) {
        this.#requestLater(peer, state, BUSY_MS)
        return
      }
      const packet = this.#nextPacket(peer, state)
      if (packet.length === 0) return
      state.requests++
      this.#ask(peer, state, packet)
        .catch((error: unknown) => this.#deps.logger.error('could not fetch announced transactions', { error }))
        .then(() => {
          state.requests--
          this.#requestLater(peer, state, 0)
        })
    }
  }

  /** The next transactions that are still unknown, as many as fit into one request. */
  #nextPacket(peer: EthPeer, { queue }: PeerState): Announced[] {
    const packet: Announced[] = []
    let bytes = 0
    for (const announced of queue) {
      const { hash, key } = announced
      if (this.#deps.isKnown(hash, key)) {
        queue.delete(announced)
        this.#announced.delete(key)
        continue
      }
      const size = sourceOf(announced, peer)?.size ?? 0
      if (packet.length > 0 && bytes + size > MAX_REQUESTED_TRANSACTION_BYTES) break
      queue.delete(announced)
      packet.push(announced)
      bytes += size
      if (packet.length === MAX_REQUESTED_TRANSACTIONS) break
    }
    return packet
  }

  async #ask(peer: EthPeer, state: PeerState, packet: readonly Announced[]): Promise<void> {
    const hashes = packet.map(({ hash }) => hash)
    const reply = await peer.ask<'getPooledTransactions'>({ kind: 'getPooledTransactions', hashes })
    if (this.#isStopped) return
    if (reply.kind === 'busy') {
      for (const announced of packet) state.queue.add(announced)
      return
    }
    if (reply.kind === 'answer') this.#take(peer, state, packet, reply.response.transactions)
    else for (const announced of packet) this.#moveOn(announced, peer)
  }

  #take(
    peer: EthPeer,
    state: PeerState,
    packet: readonly Announced[],
    transactions: readonly EncodedTransaction[],
  ): void {
    const announcedByKey = new Map(packet.map((announced) => [announced.key, announced]))
    const delivered: ReceivedTransaction[] = []
    let fault: string | undefined
    for (const transaction of transactions) {
      const next = received(transaction)
      const announced = announcedByKey.get(next.key)
      fault = announced === undefined ? 'a transaction that was not requested' : faultOf(next, announced, peer)
      if (announced === undefined || fault !== undefined) break
      announcedByKey.delete(next.key)
      this.#announced.delete(next.key)
      peer.knowledge.transactions.add(next.hash)
      delivered.push(next)
    }
    if (fault !== undefined) peer.disconnect('breachOfProtocol', fault)
    // A peer leaves out what does not fit into its answer.
    const last = packet.findLastIndex(({ key }) => !announcedByKey.has(key))
    for (const [i, announced] of packet.entries()) {
      if (!announcedByKey.has(announced.key)) continue
      if (i > last && last >= 0 && fault === undefined) state.queue.add(announced)
      else this.#moveOn(announced, peer)
    }
    if (fault === undefined) this.#judge(peer, state, packet, delivered.length)
    if (delivered.length > 0) this.#deps.onDelivered(peer, delivered)
  }

  /** Transactions may have been mined since their announcement, so a single empty answer means nothing. */
  #judge(peer: EthPeer, state: PeerState, packet: readonly Announced[], delivered: number): void {
    if (delivered > 0) {
      state.emptyAnswers = 0
      peer.report('useful', 'getPooledTransactions')
    } else if (!packet.some(({ hash, key }) => this.#deps.isKnown(hash, key))) {
      state.emptyAnswers++
      if (state.emptyAnswers % MAX_EMPTY_TRANSACTION_ANSWERS === 0) peer.report('useless', 'getPooledTransactions')
    }
  }

  /** Asks the next source of a transaction. */
  #moveOn(announced: Announced, peer: EthPeer): void {
    const next = this.#nextSource(announced, peer)
    if (next !== undefined) this.#enqueue(announced, next, 0)
  }

  /** Strikes out a source. @returns the next one; without one, the transaction is forgotten */
  #nextSource({ key, sources }: Announced, peer: EthPeer): EthPeer | undefined {
    const at = sources.findIndex((source) => source.peer === peer)
    if (at >= 0) sources.splice(at, 1)
    while (sources[0]?.peer.isOpen === false) sources.shift()
    const [next] = sources
    if (next !== undefined && !this.#isStopped) return next.peer
    this.#announced.delete(key)
    return undefined
  }
}

function sourceOf({ sources }: Announced, peer: EthPeer): Source | undefined {
  return sources.find((source) => source.peer === peer)
}

/** @returns how the transaction differs from its announcement */
function faultOf(transaction: ReceivedTransaction, announced: Announced, peer: EthPeer): string | undefined {
  const { encoding } = transaction
  const type = typeOf(transaction)
  if (type === BLOB_TYPE && !hasSidecar(transaction)) return 'a blob transaction without blobs'
  if (type === BLOB_TYPE && !hasOwnCommitments(transaction)) return 'a blob transaction with the commitments of others'
  const source = sourceOf(announced, peer)
  if (source?.type !== undefined && source.type !== type) {
    return `a transaction of type ${type} that was announced with type ${source.type}`
  }
  const size = source?.size
  if (size === undefined || isAbout(size, encoding.length)) return undefined
  // Some clients announce blob transactions without the size of their blobs.
  if (type === BLOB_TYPE && isAbout(size, canonicalEncoding(encoding).length)) return undefined
  return `a transaction of ${encoding.length} bytes that was announced with ${size}`
}

function isAbout(announced: number, actual: number): boolean {
  return Math.abs(announced - actual) <= SIZE_TOLERANCE
}
