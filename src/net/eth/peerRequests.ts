/**
 * Requests to one peer: sends them, measures their time and passes on the answers.
 * @see docs/reference/p2p.md section 5
 * @module
 */
import { PEER_REQUEST_TIMEOUT_MS } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import type { EthRequest, EthResponse } from '../protocols/eth/messages.ts'
import { type PendingRequest, PendingRequests, type ResponseName } from '../protocols/eth/pendingRequests.ts'
import type { EthVersion } from '../protocols/eth/versions.ts'
import type { Question, Reply } from './contract.ts'

export interface PeerRequestsDeps {
  readonly version: EthVersion
  readonly clock: Clock
  readonly timers: Timers
  send(request: EthRequest): void
  /** A request was not answered in time. */
  onTimeout(kind: EthRequest['kind']): void
}

type Resolve = (reply: Reply<EthRequest['kind']>) => void

export class PeerRequests {
  readonly #deps: PeerRequestsDeps
  readonly #pending: PendingRequests
  /** In the order of their sending. */
  readonly #waiting = new Map<PendingRequest, Resolve>()
  #lastAnswered: EthRequest['kind'] | undefined
  #timer: Timer | undefined
  #isClosed = false

  constructor(deps: PeerRequestsDeps) {
    this.#deps = deps
    this.#pending = new PendingRequests(deps.version)
  }

  get hasCapacity(): boolean {
    return !this.#isClosed && this.#pending.hasCapacity
  }

  /** Kind of the request that the newest answer belongs to. */
  get lastAnswered(): EthRequest['kind'] | undefined {
    return this.#lastAnswered
  }

  /** @throws {TypeError} when the version has no such request */
  ask<K extends EthRequest['kind']>(question: Question<K>): Promise<Reply<K>> {
    if (this.#isClosed) return Promise.resolve({ kind: 'closed' })
    if (!this.#pending.hasCapacity) return Promise.resolve({ kind: 'busy' })
    const untypedQuestion = question as Question
    const request = this.#pending.open(untypedQuestion.kind, maxItems(untypedQuestion), this.#deps.clock.monotonic())
    const answer = new Promise<Reply<EthRequest['kind']>>((resolve) => this.#waiting.set(request, resolve))
    this.#deps.send({ ...untypedQuestion, requestId: request.requestId } as EthRequest)
    this.#schedule()
    return answer as Promise<Reply<K>>
  }

  /** Longest answer of a kind that may be decompressed now. */
  maxAnswerBytes(kind: ResponseName['kind']): number {
    return this.#pending.maxAnswerBytes(kind)
  }

  /**
   * Matches an answer with its request, then decodes it. A late one is not decoded.
   * @param decode gets the maximum number of items
   * @returns false when the answer is unsolicited
   * @throws {NodeError} of `decode`
   */
  receive(name: ResponseName, decode: (maxItems: number) => EthResponse): boolean {
    const verdict = this.#pending.close(name)
    if (verdict.kind === 'late') return true
    if (verdict.kind !== 'expected') return false
    const { request } = verdict
    let reply: Reply<EthRequest['kind']> = { kind: 'closed' }
    try {
      reply = { kind: 'answer', response: decode(request.maxItems) as never }
      this.#lastAnswered = request.kind
    } finally {
      this.#settle(request, reply)
    }
    return true
  }

  /** Ends all requests. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    for (const request of this.#pending.clear()) this.#settle(request, { kind: 'closed' })
  }

  #settle(request: PendingRequest, reply: Reply<EthRequest['kind']>): void {
    const resolve = this.#waiting.get(request)
    this.#waiting.delete(request)
    resolve?.(reply)
  }

  /** One timer, for the oldest request. An earlier timer is kept. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed) return
    const [oldest] = this.#waiting.keys()
    if (oldest === undefined) return
    const { clock, timers } = this.#deps
    const delayMs = Math.max(1, Math.ceil(oldest.sentAtMs + PEER_REQUEST_TIMEOUT_MS - clock.monotonic()))
    this.#timer = timers.schedule(delayMs, () => {
      this.#timer = undefined
      this.#expire()
    })
  }

  #expire(): void {
    for (const request of this.#pending.expire(this.#deps.clock.monotonic())) {
      this.#settle(request, { kind: 'timeout' })
      this.#deps.onTimeout(request.kind)
    }
    this.#schedule()
  }
}

function maxItems(question: Question): number {
  return question.kind === 'getBlockHeaders' ? Number(question.limit) : question.hashes.length
}
