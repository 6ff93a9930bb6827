/**
 * One GraphQL request over HTTP, from parameters to answer.
 * @see docs/reference/graphql.md section 1
 * @module
 */
import { HTTP_PROCESSING_TIMEOUT_MS } from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import type { Metrics } from '../base/ports/metrics.ts'
import type { Timers } from '../base/ports/timers.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import {
  type GraphqlAnswers,
  type GraphqlInput,
  type GraphqlPermission,
  type GraphqlReply,
  UNAUTHORIZED,
} from '../graphql/contract.ts'
import { inputOfBody, inputOfParameters } from '../graphql/requestInput.ts'
import type { RpcError } from '../rpc/errors.ts'
import type { OnUnauthorized } from '../rpc/pendingRequest.ts'
import { RequestMetrics } from '../rpc/requestMetrics.ts'
import type { RpcObserver } from '../rpc/rpcObserver.ts'
import type { Authenticate } from './access/contract.ts'
import { graphqlPermission } from './access/permissions.ts'
import type { ExchangeRequest, HttpExchange, HttpReply, OnPending, RequestTarget } from './rpcExchange.ts'

export interface GraphqlExchangeOptions {
  /** Loads the service for the first request. */
  readonly load: () => Promise<GraphqlAnswers>
  readonly logger: Logger
  readonly timers: Timers
  /** Default: every caller may execute every operation. */
  readonly authenticate?: Authenticate | undefined
  /** Observes each request as a call of the method `graphql`; default: none. */
  readonly observer?: RpcObserver | undefined
  /** Called with the method `graphql` for each caller who may not execute any operation. */
  readonly onUnauthorized?: OnUnauthorized | undefined
  /** Called before each request is read. */
  readonly onRequest?: (() => void) | undefined
  /** Counts each request as one of the method `graphql`; default: requests are not counted. */
  readonly metrics?: Metrics | undefined
  readonly clock: Clock
  /** Time limit for one request; default 300 s. */
  readonly timeoutMs?: number
}

/** The request to the log and to the metrics. */
const METHOD = { name: 'graphql' } as const
const TIMED_OUT: GraphqlReply = { status: 504, body: '', problem: 'the request exceeded its time limit' }
const LIMITED: HttpReply = { status: 429, body: '{"errors":[{"message":"Too many requests"}]}' }
const FAILED: GraphqlReply = {
  status: 500,
  body: '{"errors":[{"message":"Internal error"}]}',
  problem: 'Internal error',
}

/** A reply with its error, whose number is the HTTP status. */
type Outcome = HttpReply & { readonly error?: RpcError }

export class GraphqlExchange implements HttpExchange {
  readonly #options: GraphqlExchangeOptions
  readonly #decoder = new TextDecoder()
  readonly #metrics: RequestMetrics | undefined
  #service: Promise<GraphqlAnswers> | undefined

  constructor(options: GraphqlExchangeOptions) {
    this.#options = options
    const { metrics } = options
    this.#metrics = metrics && new RequestMetrics(metrics, [METHOD], METHOD.name)
  }

  /** @returns never rejects */
  async handle(request: ExchangeRequest): Promise<HttpReply> {
    const { rate } = request
    if (rate !== undefined && !rate.take()) return LIMITED
    const { clock, observer } = this.#options
    this.#metrics?.started(METHOD)
    const startedMs = clock.monotonic()
    const observed = observer?.begin(METHOD.name, startedMs)
    const outcome = outcomeOf(await this.#guarded(request))
    const endedMs = clock.monotonic()
    observed?.end(outcome.error, endedMs)
    this.#metrics?.ended(METHOD, endedMs - startedMs, outcome.error)
    return outcome
  }

  async #guarded({ body, authorization, onPending, target, peer }: ExchangeRequest): Promise<GraphqlReply> {
    const { authenticate, onRequest, onUnauthorized, logger } = this.#options
    try {
      const principal = await authenticate?.(authorization)
      const permits = principal && graphqlPermission(principal.permits)
      if (permits?.('query') === false && !permits('mutation')) {
        onUnauthorized?.(METHOD.name, { peer, claims: principal?.claims })
        return UNAUTHORIZED
      }
      onRequest?.()
      const input = inputOf(typeof body === 'string' ? body : this.#decoder.decode(body), target)
      return await this.#answer(input, onPending, permits)
    } catch (error) {
      if (isNodeError(error, 'INVALID_GRAPHQL_REQUEST')) {
        return { status: 400, body: JSON.stringify({ result: error.message }), problem: error.message }
      }
      logger.error('GraphQL request failed', { error })
      return FAILED
    }
  }

  async #answer(
    input: GraphqlInput,
    onPending: OnPending | undefined,
    permits: GraphqlPermission | undefined,
  ): Promise<GraphqlReply> {
    const { load, timers, timeoutMs = HTTP_PROCESSING_TIMEOUT_MS } = this.#options
    const controller = new AbortController()
    onPending?.(controller)
    this.#service ??= load()
    const service = await this.#service
    let hasExpired = false
    const timer = timers.schedule(timeoutMs, () => {
      hasExpired = true
      controller.abort(new DOMException('the request exceeded its time limit', 'TimeoutError'))
    })
    const reply = await service.answer(input, controller.signal, permits)
    timer.cancel()
    return hasExpired ? TIMED_OUT : reply
  }
}

function outcomeOf({ status, body, problem }: GraphqlReply): Outcome {
  if (status === 200) return { status, body }
  return { status, body, error: { code: status, message: problem ?? 'the request failed' } }
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
