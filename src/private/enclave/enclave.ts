/**
 * An enclave: it keeps the payloads of private transactions, encrypted, and exchanges them with other enclaves.
 * @module
 */
import type { EnclaveAnswer, EnclavePeers, EnclaveTransport } from '../../base/ports/enclave.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { KeyValueStore } from '../../base/ports/keyValueStore.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Timers } from '../../base/ports/timers.ts'
import { isNodeError, NodeError } from '../../base/primitives/errors.ts'
import type { KeyPair } from './boxes.ts'
import { Delivery } from './delivery.ts'
import { EnclaveStore } from './enclaveStore.ts'
import { KeyRing } from './keyRing.ts'
import { type EnclaveReply, type EnclaveRequest, textReply } from './messages.ts'
import { NodeInterface } from './nodeInterface.ts'
import { PartyBook } from './partyBook.ts'
import { PartyExchange } from './partyExchange.ts'
import { enclaveUrl } from './partyInfo.ts'
import { PeerInterface } from './peerInterface.ts'
import { Recovery } from './recovery.ts'
import type { EnclaveRefusal } from './refusal.ts'

export interface EnclaveOptions {
  /** Synchronous for reads; the enclave does not close it. */
  readonly store: KeyValueStore
  /** At least one; the first is the default. */
  readonly keys: readonly KeyPair[]
  /** URLs of other enclaves. */
  readonly parties: readonly string[]
  /** Whether enclaves other than `parties` may join. */
  readonly isOpen: boolean
  readonly peers: EnclavePeers
  readonly random: Random
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
}

const utf8 = new TextEncoder()

export class Enclave {
  readonly #ring: KeyRing
  readonly #peers: EnclavePeers
  readonly #delivery: Delivery
  readonly #exchange: PartyExchange
  readonly #node: NodeInterface
  readonly #peer: PeerInterface
  readonly #recovery: Recovery | undefined
  readonly #logger: Logger
  #isClosed = false

  /** @throws {NodeError} INVALID_OPTION when the URL of a party is not valid */
  constructor({ store: kv, keys, parties, isOpen, peers, random, clock, timers, logger }: EnclaveOptions) {
    const ring = new KeyRing(keys)
    const book = new PartyBook(parties.map(requiredUrl), isOpen)
    const store = new EnclaveStore(kv)
    const wasEmpty = store.payloads().next().done === true
    this.#delivery = new Delivery({ ring, book, store, peers, clock, logger })
    const onParty = (url: string): void => {
      if (parties.some((party) => enclaveUrl(party) === url)) this.#recovery?.ask(url)
    }
    this.#exchange = new PartyExchange({ ring, book, peers, random, clock, timers, logger, onParty })
    this.#node = new NodeInterface({ ring, store, delivery: this.#delivery, random })
    this.#recovery = wasEmpty ? new Recovery({ ring, book, peers, timers, logger }) : undefined
    const services = { delivery: this.#delivery, exchange: this.#exchange, recovery: this.#recovery }
    this.#peer = new PeerInterface({ ring, book, store, ...services })
    this.#ring = ring
    this.#peers = peers
    this.#logger = logger
  }

  /** In Base64; the default key is first. */
  get publicKeys(): readonly string[] {
    return this.#ring.names
  }

  /**
   * Starts to look for the other enclaves.
   * @param url that the others use to reach this one
   * @throws {NodeError} INVALID_OPTION
   */
  start(url: string): void {
    this.#exchange.start(requiredUrl(url))
  }

  /** Answers a request from a node. */
  answerNode(request: EnclaveRequest): Promise<EnclaveReply> {
    return this.#answer(request, () => this.#node.answer(request))
  }

  /** Answers a request from another enclave. */
  answerPeer(request: EnclaveRequest): Promise<EnclaveReply> {
    return this.#answer(request, () => this.#peer.answer(request))
  }

  /** The connection of a node in the same program. */
  transport(): EnclaveTransport {
    return {
      post: async (path, _contentType, body): Promise<EnclaveAnswer> => {
        if (this.#isClosed) throw new NodeError({ code: 'STOPPED' }, 'the enclave is closed')
        const reply = await this.answerNode({ method: 'POST', path, body: utf8.encode(body) })
        return { status: reply.status, body: reply.body as string }
      },
      close: () => {},
    }
  }

  close(): void {
    this.#isClosed = true
    this.#exchange.close()
    this.#delivery.close()
    this.#recovery?.close()
    this.#peers.close()
  }

  async #answer({ path }: EnclaveRequest, run: () => Promise<EnclaveReply>): Promise<EnclaveReply> {
    try {
      return await run()
    } catch (error) {
      if (isNodeError(error, 'ENCLAVE_REFUSAL')) {
        return textReply((error as NodeError<EnclaveRefusal>).details.status, error.message)
      }
      if (isNodeError(error, 'INVALID_ENCLAVE_KEY')) return textReply(400, 'EnclaveDecodePublicKey')
      this.#logger.error('a request to the enclave failed', { path, error })
      return textReply(500, 'InternalError')
    }
  }
}

function requiredUrl(text: string): string {
  const url = enclaveUrl(text)
  if (url === undefined) throw new NodeError({ code: 'INVALID_OPTION' }, `'${text}' is not the HTTP URL of an enclave`)
  return url
}
