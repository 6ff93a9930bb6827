import { MAX_EXAMINED_ANSWERS } from '../../../../base/limits/limits.ts'
import type { SocketAddress } from '../../../../base/ports/tcpSockets.ts'
import { equalBytes } from '../../../../base/primitives/bytes.ts'
import { RateLimiter } from '../rateLimiter.ts'
import { nodeKey } from '../table.ts'
import type { DiscoveryOptions, Moment } from './contract.ts'
import type { EndpointProofs } from './endpointProofs.ts'
import type { Message } from './messages.ts'
import { readPacket, senderOf } from './packet.ts'
import type { PacketRequests, PendingRequest } from './requests.ts'

/** A message whose sender is verified. */
export interface Admitted {
  readonly message: Message
  /** Hash of the packet. */
  readonly hash: Uint8Array
  /** Public key, 64 bytes. */
  readonly sender: Uint8Array
  readonly key: string
}

/** Decides which packets are processed. */
export class Gate {
  readonly #options: DiscoveryOptions
  readonly #limiter: RateLimiter
  readonly #proofs: EndpointProofs
  readonly #requests: PacketRequests

  constructor(options: DiscoveryOptions, proofs: EndpointProofs, requests: PacketRequests, now: Moment) {
    this.#options = options
    this.#proofs = proofs
    this.#requests = requests
    this.#limiter = new RateLimiter(now.monotonicMs)
  }

  /**
   * Cheap checks come first; the signature is recovered only when the packet can have an effect. Answers that repeat the hash
   * of a request cannot be forged blindly, so a few of them pass without the limits that a flood exhausts.
   * @returns undefined when the packet is to be dropped
   */
  admit(bytes: Uint8Array, from: SocketAddress, { monotonicMs, unixMs }: Moment): Admitted | undefined {
    const packet = readPacket(bytes)
    if (packet === undefined) return undefined
    const { message, hash } = packet
    if (message.type !== 'enrResponse' && message.expiration * 1000 < unixMs) return undefined
    const isProven = this.#proofs.isAddressVerified(from, monotonicMs)
    const request = this.#answeredRequest(message, from)
    if (request === undefined && !this.#mayMatter(message, from, isProven)) return undefined
    const isExpected = request !== undefined && request.examined++ < MAX_EXAMINED_ANSWERS
    if (!isExpected && !this.#limiter.allows(from.host, isProven, monotonicMs)) return undefined
    const sender = senderOf(packet)
    if (sender === undefined || equalBytes(sender, this.#options.signer.publicKey)) return undefined
    if (!this.#options.allows(sender, from.host)) return undefined
    return { message, hash, sender, key: nodeKey(sender) }
  }

  /** The request whose hash an answer repeats. */
  #answeredRequest(message: Message, from: SocketAddress): PendingRequest | undefined {
    if (message.type === 'pong') return this.#requests.byHash('ping', message.pingHash, from)
    if (message.type === 'enrResponse') return this.#requests.byHash('enrRequest', message.requestHash, from)
    return undefined
  }

  /** Of the packets without such a request: queries need an endpoint proof, and pings are always answered. */
  #mayMatter({ type }: Message, from: SocketAddress, isProven: boolean): boolean {
    if (type === 'ping') return true
    if (type === 'neighbors') return this.#requests.asks(from)
    return isProven && (type === 'findNode' || type === 'enrRequest')
  }
}
