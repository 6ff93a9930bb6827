/**
 * Packets that wait, by peer. Peers are served in turn, and each has its own bounds, so a peer that sends too much delays
 * and loses its own packets only.
 * @module
 */
import { MAX_BFT_PEER_MESSAGES, MAX_BFT_PEER_QUEUE_BYTES, MAX_BFT_QUEUE_BYTES } from '../../base/limits/limits.ts'
import type { BftPacket } from '../../consensus/bft/messages/packets.ts'

export interface WaitingPacket {
  readonly packet: BftPacket
  readonly peer: string
}

interface PeerQueue {
  readonly packets: BftPacket[]
  bytes: number
}

export class PeerQueues {
  readonly #maxPackets: number
  /** The peer whose turn is next comes first. */
  readonly #queues = new Map<string, PeerQueue>()
  #count = 0
  #bytes = 0

  /** @param maxPackets of all peers together */
  constructor(maxPackets: number) {
    this.#maxPackets = maxPackets
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** @returns false when there is no space for the packet */
  add(packet: BftPacket, peer: string): boolean {
    const size = packet.payload.length
    const queue = this.#queues.get(peer) ?? { packets: [], bytes: 0 }
    if (queue.packets.length >= MAX_BFT_PEER_MESSAGES || queue.bytes + size > MAX_BFT_PEER_QUEUE_BYTES) return false
    while (this.#count >= this.#maxPackets || this.#bytes + size > MAX_BFT_QUEUE_BYTES)
      if (!this.#dropFromLonger(queue, size)) return false
    queue.packets.push(packet)
    this.#queues.set(peer, queue)
    this.#grow(queue, size, 1)
    return true
  }

  /** The oldest packet of the peer whose turn it is. */
  next(): WaitingPacket | undefined {
    const [first] = this.#queues
    if (first === undefined) return undefined
    const [peer, queue] = first
    const packet = queue.packets.shift() as BftPacket
    this.#grow(queue, -packet.payload.length, -1)
    this.#queues.delete(peer)
    if (queue.packets.length > 0) this.#queues.set(peer, queue)
    return { packet, peer }
  }

  /** The newest packet of the peer with the most bytes, or packets, goes if that peer has more than this one. */
  #dropFromLonger(queue: PeerQueue, size: number): boolean {
    const isCrowded = this.#count >= this.#maxPackets
    const weightOf = ({ packets, bytes }: PeerQueue): number => (isCrowded ? packets.length : bytes)
    const own = weightOf(queue) + (isCrowded ? 1 : size)
    let heaviest: PeerQueue | undefined
    let key = ''
    for (const [peer, other] of this.#queues) {
      if (heaviest !== undefined && weightOf(other) <= weightOf(heaviest)) continue
      heaviest = other
      key = peer
    }
    if (heaviest === undefined || weightOf(heaviest) <= own) return false
    const dropped = heaviest.packets.pop() as BftPacket
    this.#grow(heaviest, -dropped.payload.length, -1)
    if (heaviest.packets.length === 0) this.#queues.delete(key)
    return true
  }

  #grow(queue: PeerQueue, bytes: number, count: number): void {
    queue.bytes += bytes
    this.#bytes += bytes
    this.#count += count
  }
}
