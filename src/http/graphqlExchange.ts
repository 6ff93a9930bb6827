/**
 * One GraphQL request over HTTP, from parameters to answer.
 * @see reference: graphql section 1
 * @module
 */
import { HTTP_PROCESSING_TIMEOUT_MS } from '../config/limits.ts'
import type { GraphqlAnswers, GraphqlInput } from '../graphql/contract.ts'
import { inputOfBody, inputOfParameters } from '../graphql/requestInput.ts'
import type { Logger } from '../ports/host.ts'
import type { Timers } from '../ports/timers.ts'
import { isNodeError } from '../primitives/errors.ts'
import type { RateLimit } from '../rpc/rateLimit.ts'
import type { HttpExchange, HttpReply, OnPending, RequestTarget } from './rpcExchange.ts'

export interface GraphqlExchangeOptions {
  /** Loads the service for the first request. */
  readonly load: () => Promise<GraphqlAnswers>
  readonly logger: Logger
  readonly timers: Timers
  /** Time limit for one request; default 300 s. */
  readonly timeoutMs?: number
}

const TIMED_OUT: HttpReply = { status: 504, body: '' }
const LIMITED: HttpReply = { status: 429, body: '{"errors":[{"message":"Too many requests"}]}' }
const FAILED: HttpReply = { status: 500, body: '{"errors":[{"message":"Internal error"}]}' }

export class GraphqlExchange implements HttpExchange {
  readonly #options: GraphqlExchangeOptions
  readonly #decoder = new TextDecoder()
  #service: Promise<GraphqlAnswers> | undefined

  constructor(options: GraphqlExchangeOptions) {
    this.#options = options
  }

  /** @returns never rejects */
  async handle(
    body: string | Uint8Array,
    _: string | undefined,
    onPending: OnPending,
    __?: unknown,
    rate?: RateLimit,
    target?: RequestTarget,
  ): Promise<HttpReply> {
    if (rate !== undefined && !rate.take()) return LIMITED
    try {
      const input = inputOf(typeof body === 'string' ? body : this.#decoder.decode(body), target)
      return await this.#answer(input, onPending)
    } catch (error) {
      if (isNodeError(error, 'INVALID_GRAPHQL_REQUEST')) {
        return { status: 400, body: JSON.stringify({ result: error.message }) }
      }
      this.#options.logger.error('GraphQL request failed', { error })
      return FAILED
    }
  }

  async #answer(input: GraphqlInput, onPending: OnPending): Promise<HttpReply> {
    const { load, timers, timeoutMs = HTTP_PROCESSING_TIMEOUT_MS } = this.#options
    const call = new AbortController()
    onPending(call)
    this.#service ??= load()
    const service = await this.#service
    let hasExpired = false
    const timer = timers.schedule(timeoutMs, () => {
      hasExpired = true
      call.abort(new DOMException('the request exceeded its time limit', 'TimeoutError'))
    })
    const reply = await service.answer(input, call.signal)
    timer.cancel()
    return hasExpired ? TIMED_OUT : reply
  }
}

/** @throws {NodeError} INVALID_GRAPHQL_REQUEST */
function inputOf(body: string, target: RequestTarget | undefined): GraphqlInput {
  if (target?.method !== 'GET') return inputOfBody(body, isJson(target?.headers['content-type']))
  const { url = '' } = target
  const start = url.indexOf('?')
  return inputOfParameters(new URLSearchParams(start < 0 ? '' : url.slice(start)))
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(?:;|$)/i.test(contentType.trim())
}
