import type { SocketAddress } from '../../../../base/ports/tcpSockets.ts'
import { equalBytes } from '../../../../base/primitives/bytes.ts'
import { RateLimiter } from '../rateLimiter.ts'
import { nodeKey } from '../table.ts'
import type { DiscoveryOptions, Moment } from './contract.ts'
import type { EndpointProofs } from './endpointProofs.ts'
import type { Message } from './messages.ts'
import { readPacket, senderOf } from './packet.ts'
import type { PacketRequests } from './requests.ts'

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
   * Cheap checks come first; the signature is recovered only when the packet can have an effect.
   * @returns undefined when the packet is to be dropped
   */
  admit(bytes: Uint8Array, from: SocketAddress, { monotonicMs, unixMs }: Moment): Admitted | undefined {
    const packet = readPacket(bytes)
    if (packet === undefined) return undefined
    const { message, hash } = packet
    if (message.type !== 'enrResponse' && message.expiration * 1000 < unixMs) return undefined
    const isProven = this.#proofs.isAddressVerified(from, monotonicMs)
    if (!this.#mayMatter(message, from, isProven)) return undefined
    if (!this.#limiter.allows(from.host, isProven, monotonicMs)) return undefined
    const sender = senderOf(packet)
    if (sender === undefined || equalBytes(sender, this.#options.signer.publicKey)) return undefined
    if (!this.#options.allows(sender, from.host)) return undefined
    return { message, hash, sender, key: nodeKey(sender) }
  }

  /** Queries need an endpoint proof and answers a request; pings are always answered. */
  #mayMatter(message: Message, from: SocketAddress, isProven: boolean): boolean {
    switch (message.type) {
      case 'ping':
        return true
      case 'pong':
        return this.#requests.byHash('ping', message.pingHash, from) !== undefined
      case 'neighbors':
        return this.#requests.asks(from)
      case 'enrResponse':
        return this.#requests.byHash('enrRequest', message.requestHash, from) !== undefined
      default:
        return isProven
    }
  }
}
