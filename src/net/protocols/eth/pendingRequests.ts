/**
 * Matches the answers of a peer with the requests that this node has sent: by id since eth/66, before that in the order
 * of the requests of each kind.
 * @see docs/reference/p2p.md sections 4 and 5; EIP-2481
 * @module
 */
import {
  MAX_BRIEF_MESSAGE_BYTES,
  MAX_HEADER_BYTES,
  MAX_LATE_REQUESTS,
  MAX_OUTSTANDING_REQUESTS,
  MAX_PROTOCOL_MESSAGE_BYTES,
  PEER_REQUEST_TIMEOUT_MS,
} from '../../../base/limits/limits.ts'
import type { EthRequest, EthResponse } from './messages.ts'
import { ETH_RESPONSES, type EthVersion } from './versions.ts'

export interface PendingRequest {
  readonly kind: EthRequest['kind']
  /** undefined up to eth/65 */
  readonly requestId: bigint | undefined
  /** Maximum number of items in an honest answer. */
  readonly maxItems: number
  readonly sentAtMs: number
}

/** Facts about an answer before it is decoded. */
export interface ResponseName {
  readonly kind: EthResponse['kind']
  /** undefined up to eth/65 */
  readonly requestId: bigint | undefined
}

/**
 * - `expected`: the answer to a request
 * - `late`: the answer to a request that has timed out
 * - `unsolicited`: a breach of the protocol
 */
export type ResponseVerdict =
  | { readonly kind: 'expected' | 'late'; readonly request: PendingRequest }
  | { readonly kind: 'unsolicited' }

export class PendingRequests {
  readonly #version: EthVersion
  #waiting: PendingRequest[] = []
  #late: PendingRequest[] = []
  #nextId = 1n

  constructor(version: EthVersion) {
    this.#version = version
  }

  /** Whether another request may be sent. */
  get hasCapacity(): boolean {
    return this.#waiting.length < MAX_OUTSTANDING_REQUESTS
  }

  /** Bytes of the longest answer of a kind that an honest peer may still send; a brief one without a request. */
  maxAnswerBytes(kind: ResponseName['kind']): number {
    let maxBytes = MAX_BRIEF_MESSAGE_BYTES
    for (const request of [...this.#waiting, ...this.#late]) {
      if (ETH_RESPONSES[request.kind] === kind) maxBytes = Math.max(maxBytes, answerBytes(request))
    }
    return maxBytes
  }

  /** Records a request that is about to be sent. @param nowMs monotonic time in milliseconds */
  open(kind: EthRequest['kind'], maxItems: number, nowMs: number): PendingRequest {
    const requestId = this.#version.hasRequestIds ? this.#nextId++ : undefined
    const request = { kind, requestId, maxItems, sentAtMs: nowMs }
    this.#waiting.push(request)
    return request
  }

  /** Judges an answer. Each request has one. */
  close(response: ResponseName): ResponseVerdict {
    // A peer answers in order, so without ids the answer belongs to the oldest request of its kind.
    const late = take(this.#late, response)
    if (late !== undefined) return { kind: 'late', request: late }
    const request = take(this.#waiting, response)
    if (request === undefined) return { kind: 'unsolicited' }
    return { kind: 'expected', request }
  }

  /** Removes the requests that have timed out. Their answers may still arrive. */
  expire(nowMs: number): PendingRequest[] {
    const isOver = ({ sentAtMs }: PendingRequest): boolean => nowMs - sentAtMs >= PEER_REQUEST_TIMEOUT_MS
    const expired = this.#waiting.filter(isOver)
    if (expired.length === 0) return expired
    this.#waiting = this.#waiting.filter((request) => !isOver(request))
    this.#late = [...this.#late, ...expired].slice(-MAX_LATE_REQUESTS)
    return expired
  }

  /** All requests that have no answer, when the connection ends. */
  clear(): PendingRequest[] {
    const open = this.#waiting
    this.#waiting = []
    this.#late = []
    return open
  }
}

function take(requests: PendingRequest[], response: ResponseName): PendingRequest | undefined {
  const index = requests.findIndex(
    ({ kind, requestId }) => ETH_RESPONSES[kind] === response.kind && requestId === response.requestId,
  )
  return index < 0 ? undefined : requests.splice(index, 1)[0]
}

function answerBytes({ kind, maxItems }: PendingRequest): number {
  const bytes = kind === 'getBlockHeaders' ? maxItems * MAX_HEADER_BYTES : MAX_PROTOCOL_MESSAGE_BYTES
  return Math.min(bytes, MAX_PROTOCOL_MESSAGE_BYTES)
}
