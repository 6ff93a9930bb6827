/**
 * Received messages: bounded, without duplicates, decoded when their turn comes.
 * @see docs/reference/consensus-ibft-qbft.md section 7
 * @module
 */

import { MAX_BFT_MESSAGE_BYTES, MAX_BFT_QUEUE_BYTES } from '../../base/limits/limits.ts'
import type { Logger } from '../../base/ports/host.ts'
import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import type { ReceivedMessage } from '../../consensus/bft/machine/contract.ts'
import type { BftPacket } from '../../consensus/bft/messages/packets.ts'
import { decodePayload, kindOf, PROTOCOLS } from './protocols.ts'

interface Waiting {
  readonly packet: BftPacket
  readonly peer: string
}

export interface InboxLimits {
  readonly messageQueueLimit: number
  readonly duplicateMessageLimit: number
  readonly gossipedHistoryLimit: number
}

export class BftInbox {
  readonly #limits: InboxLimits
  readonly #logger: Logger
  readonly #seen: LruCache<string, true>
  readonly #passedOn: LruCache<string, true>
  #waiting: Waiting[] = []
  #bytes = 0
  #isFull = false

  constructor(limits: InboxLimits, logger: Logger) {
    this.#limits = limits
    this.#logger = logger
    this.#seen = new LruCache(limits.duplicateMessageLimit)
    this.#passedOn = new LruCache(limits.gossipedHistoryLimit)
  }

  /** @returns false for a duplicate, and for a message for which there is no space */
  add(packet: BftPacket, peer: string): boolean {
    const size = packet.payload.length
    if (size > MAX_BFT_MESSAGE_BYTES) {
      this.#logger.debug('dropped a consensus message that is too long', { peer, bytes: size })
      return false
    }
    const key = keyOf(packet.payload)
    if (this.#seen.get(key)) return false
    if (this.#waiting.length >= this.#limits.messageQueueLimit || this.#bytes + size > MAX_BFT_QUEUE_BYTES) {
      if (!this.#isFull) this.#logger.warn('consensus messages arrive too fast: some are dropped')
      this.#isFull = true
      return false
    }
    this.#seen.set(key, true)
    this.#waiting.push({ packet, peer })
    this.#bytes += size
    return true
  }

  /** The oldest message that can be decoded. */
  next(): ReceivedMessage | undefined {
    for (let waiting = this.#waiting.shift(); waiting !== undefined; waiting = this.#waiting.shift()) {
      this.#bytes -= waiting.packet.payload.length
      if (this.#waiting.length === 0) this.#isFull = false
      const received = this.#decode(waiting)
      if (received !== undefined) return received
    }
    return undefined
  }

  /** Whether a message is passed on for the first time. */
  mayPassOn({ encoded }: ReceivedMessage): boolean {
    const key = keyOf(encoded)
    if (this.#passedOn.get(key)) return false
    this.#passedOn.set(key, true)
    return true
  }

  #decode({ packet: { protocol, code, payload }, peer }: Waiting): ReceivedMessage | undefined {
    const kind = kindOf(code, PROTOCOLS[protocol])
    if (kind === undefined) return undefined
    try {
      return { protocol, message: decodePayload(kind, payload, PROTOCOLS[protocol]), encoded: payload, from: peer }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      this.#logger.debug('dropped a consensus message', { peer, kind, reason: error.message })
      return undefined
    }
  }
}

function keyOf(payload: Uint8Array): string {
  return bytesToHexUnprefixed(keccak256(payload))
}
