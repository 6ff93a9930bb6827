/**
 * Received messages: bounded by peer, read up to the author before they are decoded, without duplicates.
 * @see docs/reference/consensus-ibft-qbft.md section 7
 * @module
 */

import { MAX_BFT_LONG_MESSAGES_BYTES, MAX_BFT_MESSAGE_BYTES } from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import { bytesToHexUnprefixed, equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import { type Addresses, hasAddress } from '../../consensus/bft/addresses.ts'
import type { ReceivedMessage } from '../../consensus/bft/machine/contract.ts'
import type { Envelope } from '../../consensus/bft/messages/envelope.ts'
import type { BftNetwork, BftPacket } from '../../consensus/bft/messages/packets.ts'
import { PeerQueues, type WaitingPacket } from './peerQueues.ts'
import { kindOf, PROTOCOLS } from './protocols.ts'

export interface InboxDeps {
  readonly network: Pick<BftNetwork, 'refuse' | 'charge'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
}

export interface InboxLimits {
  readonly messageQueueLimit: number
  readonly duplicateMessageLimit: number
  readonly gossipedHistoryLimit: number
}

/** The messages that are of use now. */
export interface Wanted {
  /** Messages of lower heights are dropped unread. */
  readonly height: number
  /** Validators of this height, 20 bytes each. */
  readonly validators: Addresses
}

/** Validators that may be added up to a later height, for the lengths of its certificates. */
const MAX_ADDED_VALIDATORS = 16
/** Longest message whose hash costs less than a recovery. */
const SHORT_BYTES = 65_536

export class BftInbox {
  readonly #logger: Logger
  readonly #network: Pick<BftNetwork, 'refuse' | 'charge'>
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #queues: PeerQueues
  readonly #seen: LruCache<string, true>
  /** Long messages by code and signature: comparing two costs less than a hash. */
  readonly #seenLong = new LruCache<string, Uint8Array>(MAX_BFT_LONG_MESSAGES_BYTES)
  readonly #passedOn: LruCache<string, true>
  /** The message that was read last, with its key unless it is long: most messages are passed on as soon as they are read. */
  #last: { readonly received: ReceivedMessage; readonly key: string | undefined } | undefined
  #isFull = false

  constructor(limits: InboxLimits, { network, clock, logger }: InboxDeps) {
    this.#logger = logger
    this.#network = network
    this.#clock = clock
    this.#queues = new PeerQueues(limits.messageQueueLimit)
    this.#seen = new LruCache(limits.duplicateMessageLimit)
    this.#passedOn = new LruCache(limits.gossipedHistoryLimit)
  }

  /** @returns false for a message for which there is no space */
  add(packet: BftPacket, peer: string): boolean {
    const { length } = packet.payload
    if (length > MAX_BFT_MESSAGE_BYTES) {
      this.#network.refuse(peer, `a consensus message of ${length} bytes`)
      return false
    }
    const isAdded = this.#queues.add(packet, peer)
    if (!isAdded && !this.#isFull) this.#logger.warn('consensus messages arrive too fast: some are dropped', { peer })
    this.#isFull = !isAdded
    return isAdded
  }

  /** Whether no packet waits. */
  get isEmpty(): boolean {
    return this.#queues.isEmpty
  }

  /** Reads the next packet. @returns undefined when it is of no use */
  next(wanted: Wanted): ReceivedMessage | undefined {
    const waiting = this.#queues.next()
    if (waiting === undefined) return undefined
    const startMs = this.#clock.monotonic()
    const received = this.#read(waiting, wanted)
    this.#network.charge(waiting.peer, this.#clock.monotonic() - startMs)
    return received
  }

  /** Whether a message is passed on for the first time. */
  mayPassOn(received: ReceivedMessage): boolean {
    const lastKey = this.#last?.received === received ? this.#last.key : undefined
    const key = lastKey ?? keyOf(packetOf(received))
    if (this.#passedOn.get(key)) return false
    this.#passedOn.set(key, true)
    return true
  }

  #read({ packet, peer }: WaitingPacket, wanted: Wanted): ReceivedMessage | undefined {
    const { protocol, code, payload } = packet
    const { codec, blocks } = PROTOCOLS[protocol]
    const kind = kindOf(code, PROTOCOLS[protocol])
    if (kind === undefined) return undefined
    let envelope: Envelope | undefined
    try {
      envelope = codec.open(kind, payload)
      if (envelope.height < wanted.height) return undefined
      // Each validator sends and passes on the same messages, and a recovery costs more than the hash of a short one.
      const key = payload.length > SHORT_BYTES ? undefined : keyOf(packet)
      if (key !== undefined && this.#seen.get(key)) return undefined
      if (!isByValidator(envelope, wanted)) return undefined
      const longKey = key === undefined ? longKeyOf(packet, envelope) : undefined
      if (longKey !== undefined && this.#hasLong(longKey, payload)) return undefined
      const message = codec.decode(envelope, blocks, wanted.validators.length + MAX_ADDED_VALIDATORS)
      // Only what was decoded counts: another peer may send the same payload under another code.
      if (longKey !== undefined) this.#seenLong.set(longKey, payload, payload.length)
      if (key !== undefined) this.#seen.set(key, true)
      const received: ReceivedMessage = { protocol, message, encoded: payload, from: peer }
      this.#last = { received, key }
      return received
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      this.#logger.debug('refused a consensus message', { peer, kind, reason: error.message })
      // The validators of later heights are not known, so a certificate of theirs may be longer than expected.
      if (envelope === undefined || envelope.height === wanted.height) this.#network.refuse(peer, error.message)
      return undefined
    }
  }

  #hasLong(key: string, payload: Uint8Array): boolean {
    const known = this.#seenLong.get(key)
    return known !== undefined && equalBytes(known, payload)
  }
}

/** Costs one recovery. */
function isByValidator({ author }: Envelope, { validators }: Wanted): boolean {
  return author !== undefined && hasAddress(validators, author)
}

function packetOf({ protocol, message: { kind }, encoded }: ReceivedMessage): BftPacket {
  return { protocol, code: PROTOCOLS[protocol].codec.codes[kind], payload: encoded }
}

function keyOf({ protocol, code, payload }: BftPacket): string {
  return `${protocol} ${code} ${bytesToHexUnprefixed(keccak256(payload))}`
}

function longKeyOf({ protocol, code }: BftPacket, { signature }: Envelope): string {
  return `${protocol} ${code} ${bytesToHexUnprefixed(signature)}`
}
