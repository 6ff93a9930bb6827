/**
 * One connection with a peer: exchange of Status, the head of the peer, then messages of all agreed capabilities.
 * @see docs/reference/p2p.md sections 4 and 5
 * @module
 */
import {
  MAX_BFT_MESSAGE_BYTES,
  MAX_BRIEF_MESSAGE_BYTES,
  MAX_EARLY_GOSSIP_BYTES,
  MAX_PROTOCOL_MESSAGE_BYTES,
} from '../../base/limits/limits.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { ConnectionHandlers, PeerConduct, PeerConnection } from '../p2p/peers/contract.ts'
import type { AgreedCapability } from '../p2p/rlpx/capabilities.ts'
import type { DisconnectReason } from '../p2p/rlpx/disconnect.ts'
import type { SessionEnd } from '../p2p/rlpx/sessionContract.ts'
import { hasBlock } from '../protocols/bftWire.ts'
import { encodeEthMessage, openEthMessage, readEthMessage } from '../protocols/eth/codec.ts'
import { localStatus, receiveStatus } from '../protocols/eth/handshake.ts'
import type {
  EncodedHeader,
  EthMessage,
  EthRequest,
  EthResponse,
  HeaderQuery,
  Status,
} from '../protocols/eth/messages.ts'
import { ETH_MESSAGES, type EthVersion, isResponse, kindOfCode } from '../protocols/eth/versions.ts'
import { ownedEthRequest, ownedSnapRequest } from '../protocols/ownedRequests.ts'
import { PeerKnowledge } from '../protocols/peerKnowledge.ts'
import { decodeSnapMessage } from '../protocols/snap/codec.ts'
import { bftProtocolOf, ETH, SNAP } from './capabilities.ts'
import type { EthGossip, PeerHead, Question, Reply } from './contract.ts'
import { encodeGossip } from './gossipEncoding.ts'
import { isHigher, raised } from './peerHead.ts'
import { PeerRequests } from './peerRequests.ts'
import { isDue, type RequiredHeader } from './requiredHeaders.ts'
import type { ServedRequest, ServingLane } from './servingQueue.ts'
import type { EthSessionDeps, PeerSession } from './sessionDeps.ts'

/** `head`: the Status was accepted, and the head of the peer is being looked up. */
type State = 'status' | 'head' | 'joined' | 'closed'

const NO_HEAD: PeerHead = { hash: undefined, number: 0n, totalDifficulty: undefined }

export class EthSession implements PeerSession, ConnectionHandlers {
  readonly connection: PeerConnection
  readonly version: EthVersion
  readonly knowledge: PeerKnowledge
  readonly toldHead: Uint8Array
  readonly id: string
  readonly #deps: EthSessionDeps
  readonly #eth: AgreedCapability
  readonly #requests: PeerRequests
  readonly #lane: ServingLane
  #state: State = 'status'
  #head: PeerHead = NO_HEAD
  #headHash: Uint8Array | undefined
  #unchecked: readonly RequiredHeader[]
  #isChecking = false
  #early: EthGossip[] = []
  #earlyBytes = 0

  constructor(
    deps: EthSessionDeps,
    connection: PeerConnection,
    { eth, version, id }: { readonly eth: AgreedCapability; readonly version: EthVersion; readonly id: string },
  ) {
    this.#deps = deps
    this.connection = connection
    this.version = version
    this.id = id
    this.#eth = eth
    this.#unchecked = deps.required
    this.toldHead = deps.handshake.chain.head.hash
    this.knowledge = new PeerKnowledge(deps.random)
    this.#lane = deps.serving.open(connection)
    this.#requests = new PeerRequests({
      version,
      clock: deps.clock,
      timers: deps.timers,
      send: (request) => void this.#send(request),
      onTimeout: (kind) => this.#report('timeout', kind),
    })
  }

  /** Sends the Status of this node. */
  start(): void {
    this.#send(localStatus(this.version, this.#deps.handshake))
  }

  get head(): PeerHead {
    return this.#head
  }

  get headHash(): Uint8Array | undefined {
    return this.#headHash
  }

  get hasCapacity(): boolean {
    return this.#requests.hasCapacity
  }

  get backlog(): number {
    return this.connection.backlog
  }

  get isOpen(): boolean {
    return this.#state === 'joined'
  }

  sawHead(head: PeerHead): void {
    if (this.#state === 'closed' || !isHigher(head, this.#head)) return
    this.#head = raised(this.#head, head)
    this.#headHash = head.hash ?? this.#headHash
    if (this.#state !== 'joined') return
    this.#deps.listener.onHead(this)
    if (!this.#isChecking && this.#unchecked.some((required) => isDue(required, head.number))) void this.#check()
  }

  ask<K extends EthRequest['kind']>(question: Question<K>): Promise<Reply<K>> {
    return this.#requests.ask(question)
  }

  send(message: EthGossip): void {
    if (this.#state !== 'joined') return
    const { code, payload } = encodeGossip(this.version, message)
    this.connection.send(this.#eth, code, payload)
  }

  charge(workMs: number): void {
    this.connection.charge(workMs)
  }

  report(conduct: 'useful' | 'useless', request?: EthRequest['kind']): void {
    this.#report(conduct, request ?? this.#requests.lastAnswered)
  }

  disconnect(reason: DisconnectReason, details: string): void {
    this.#end(reason, details)
  }

  maxBytes({ name }: AgreedCapability, code: number): number {
    // This node sends no requests of snap.
    if (this.#state === 'status' || name === SNAP) return MAX_BRIEF_MESSAGE_BYTES
    if (name !== ETH) return hasBlock(bftProtocolOf(name), code) ? MAX_BFT_MESSAGE_BYTES : MAX_BRIEF_MESSAGE_BYTES
    const kind = kindOfCode(this.version, code)
    if (kind === undefined || ETH_MESSAGES[kind].isLarge !== true) return MAX_BRIEF_MESSAGE_BYTES
    return isResponse(kind) ? this.#requests.maxAnswerBytes(kind) : MAX_PROTOCOL_MESSAGE_BYTES
  }

  onMessage({ name }: AgreedCapability, code: number, payload: Uint8Array): void {
    if (this.#state === 'closed') return
    try {
      if (name === ETH) this.#onEth(code, payload)
      else if (name === SNAP) this.#onSnap(code, payload)
      else this.#onBft(name, code, payload)
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      this.#breach(error.message)
    }
  }

  onDrain(): void {
    this.#lane.drained()
  }

  onClose({ reason, by, error }: SessionEnd): void {
    this.#close(reason, by, error?.message)
  }

  #onEth(code: number, payload: Uint8Array): void {
    if (this.#state === 'status') {
      this.#onStatus(code, payload)
      return
    }
    const envelope = openEthMessage(this.version, { code, payload })
    const { kind, requestId } = envelope
    switch (kind) {
      case 'status':
        this.#breach('a second Status')
        return
      case 'blockHeaders':
      case 'blockBodies':
      case 'pooledTransactions':
      case 'nodeData':
      case 'receipts': {
        const decode = (maxItems: number): EthResponse =>
          readEthMessage(this.version, envelope, maxItems) as EthResponse
        if (!this.#requests.receive({ kind, requestId }, decode)) this.#breach(`unexpected ${kind}`)
        return
      }
    }
    this.#onQuestionOrGossip(readEthMessage(this.version, envelope) as EthGossip | EthRequest, payload.length)
  }

  #onQuestionOrGossip(message: EthGossip | EthRequest, bytes: number): void {
    switch (message.kind) {
      case 'getBlockHeaders':
      case 'getBlockBodies':
      case 'getPooledTransactions':
      case 'getNodeData':
      case 'getReceipts': {
        const { request, bytes: kept } = ownedEthRequest(message)
        this.#serve(this.#eth, kept, () => this.#deps.eth.answer(this.version, request))
        return
      }
      case 'blockRangeUpdate':
        this.sawHead({ hash: message.latestHash, number: message.latest, totalDifficulty: undefined })
    }
    this.#onGossip(message, bytes)
  }

  #onGossip(message: EthGossip, bytes: number): void {
    if (this.#state === 'joined') {
      this.#deps.listener.onGossip(this, message)
      return
    }
    this.#earlyBytes += bytes
    if (this.#earlyBytes <= MAX_EARLY_GOSSIP_BYTES) this.#early.push(message)
  }

  #onSnap(code: number, payload: Uint8Array): void {
    if (this.#state === 'status') throw breachOfOrder('snap')
    const message = decodeSnapMessage(code, payload)
    switch (message.kind) {
      case 'getAccountRange':
      case 'getStorageRanges':
      case 'getByteCodes':
      case 'getTrieNodes': {
        const capability = this.connection.capabilities.find(({ name }) => name === SNAP) as AgreedCapability
        const { request, bytes } = ownedSnapRequest(message)
        this.#serve(capability, bytes, () => this.#deps.snap.answer(request))
        return
      }
      default:
        this.#breach(`unexpected ${message.kind}`)
    }
  }

  #onBft(name: string, code: number, payload: Uint8Array): void {
    const protocol = bftProtocolOf(name)
    // The agreement repeats its messages, so those that precede the Status may be lost.
    if (protocol === undefined || this.#state === 'status') return
    const isKnown = this.#deps.bft?.receive(this.id, { protocol, code, payload }) ?? true
    if (!isKnown) this.#breach(`${name} has no code ${code}`)
  }

  #serve(capability: AgreedCapability, bytes: number, answer: ServedRequest['answer']): void {
    const isTaken = this.#lane.add({
      bytes,
      answer,
      send: ({ code, payload }) => this.connection.send(capability, code, payload),
    })
    if (!isTaken) this.#breach('too many requests')
  }

  #onStatus(code: number, payload: Uint8Array): void {
    const outcome = receiveStatus(this.version, { code, payload }, this.#deps.handshake)
    if (outcome.kind === 'refused') {
      this.#end(outcome.disconnect, outcome.reason)
      return
    }
    this.#state = 'head'
    if (!this.connection.admit()) {
      this.#close('tooManyPeers', 'local', undefined)
      return
    }
    this.#deps.listener.onAdmitted(this)
    void this.#join(outcome.status)
  }

  async #join({ best, range }: Status): Promise<void> {
    if (range !== undefined) {
      this.sawHead({ hash: range.latestHash, number: range.latest, totalDifficulty: undefined })
    } else if (best !== undefined) {
      this.#headHash = best.hash
      const storedHead = this.#deps.handshake.chain.headerByHash(best.hash)
      const number = storedHead === undefined ? await this.#numberOf(best.hash) : storedHead.header.number
      if (number === undefined) return
      this.sawHead({ hash: best.hash, number, totalDifficulty: best.totalDifficulty })
      // Genesis is not above the initial head.
      if (this.#head.totalDifficulty === undefined) this.#head = { ...this.#head, ...best }
    }
    if (!(await this.#check()) || this.#state !== 'head') return
    this.#state = 'joined'
    this.#deps.listener.onJoined(this)
    const early = this.#early
    this.#early = []
    for (const message of early) if (this.isOpen) this.#deps.listener.onGossip(this, message)
  }

  /** Asks for the peer's best block. @returns undefined when the peer was disconnected */
  async #numberOf(hash: Uint8Array): Promise<bigint | undefined> {
    const [first] = (await this.#askHeader(hash)) ?? []
    const { consensus } = this.#deps.handshake.chain
    if (first !== undefined && equalBytes(consensus.hash(first.header, first.encoding), hash))
      return first.header.number
    this.#end('uselessPeer', 'no header of its best block')
    return undefined
  }

  /** @returns undefined without an answer */
  async #askHeader(start: HeaderQuery['start']): Promise<readonly EncodedHeader[] | undefined> {
    const question = { kind: 'getBlockHeaders', start, limit: 1n, skip: 0n, isReverse: false } as const
    const reply = await this.#requests.ask<'getBlockHeaders'>(question)
    return reply.kind === 'answer' ? reply.response.headers : undefined
  }

  /** Asks for the required blocks that the peer should have. @returns false when it was disconnected */
  async #check(): Promise<boolean> {
    this.#isChecking = true
    const due = this.#unchecked.filter((required) => isDue(required, this.#head.number))
    for (const required of due) {
      const headers = await this.#askHeader(required.number)
      if (this.#state === 'closed') return false
      const [header] = headers ?? []
      if (header?.header.number !== required.number || !required.accepts(header)) {
        const what = headers === undefined ? 'no answer about' : 'another block instead of'
        this.#end(
          headers === undefined ? 'uselessPeer' : 'subprotocol',
          `${what} the required block ${required.number}`,
        )
        return false
      }
    }
    this.#unchecked = this.#unchecked.filter((required) => !due.includes(required))
    this.#isChecking = false
    return true
  }

  #send(message: EthMessage): boolean {
    const { code, payload } = encodeEthMessage(this.version, message)
    return this.connection.send(this.#eth, code, payload)
  }

  #report(conduct: PeerConduct, request: EthRequest['kind'] | undefined): void {
    if (this.#state !== 'closed') this.connection.report(conduct, request)
  }

  #breach(details: string): void {
    this.#end('breachOfProtocol', details)
  }

  /** Ends the connection. */
  #end(reason: DisconnectReason, details: string): void {
    if (this.#state === 'closed') return
    this.connection.disconnect(reason, details)
    this.#close(reason, 'local', details)
  }

  #close(reason: DisconnectReason, by: SessionEnd['by'], details: string | undefined): void {
    if (this.#state === 'closed') return
    const wasJoined = this.#state === 'joined'
    this.#state = 'closed'
    this.#early = []
    this.#lane.close()
    this.#requests.close()
    this.#deps.listener.onLeft(this, { wasJoined, reason, by, details })
  }
}

function breachOfOrder(name: string): NodeError {
  return new NodeError({ code: 'INVALID_PROTOCOL_MESSAGE' }, `a message of ${name} before the Status`)
}
