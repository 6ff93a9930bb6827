/**
 * One JSON-RPC request over HTTP, from body to response: authentication, envelope, time limit.
 * @module
 */

import { HTTP_PROCESSING_TIMEOUT_MS } from '../base/limits/limits.ts'
import type { Logger } from '../base/ports/host.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { ByteStream } from '../base/primitives/byteStream.ts'
import type { OutboundAccount } from '../rpc/connection/outboundBudget.ts'
import type { Principal } from '../rpc/connection/principal.ts'
import type { RateLimit } from '../rpc/connection/rateLimit.ts'
import type { Envelope } from '../rpc/envelope.ts'
import { isPromise } from '../rpc/invoke.ts'
import type { Reply } from '../rpc/reply.ts'
import { type ConnectionPeer, RpcRequestContext } from '../rpc/requestContext.ts'
import type { Authenticate } from './access/contract.ts'

/** Status and body; 504 when the time limit was exceeded: the connection is then closed. */
export interface HttpReply {
  readonly status: number
  readonly body: string
  /** Replaces `body` for a streamed response. The stream breaks when the response cannot be completed. */
  readonly stream?: ByteStream
}

export interface RpcExchangeOptions {
  readonly envelope: Pick<Envelope<never>, 'handle' | 'served'>
  readonly logger: Logger
  readonly timers: Timers
  /** Default: every caller may call every method. */
  readonly authenticate?: Authenticate | undefined
  /** Time limit for one request including its whole batch; default 300 s. */
  readonly timeoutMs?: number
}

const TIMED_OUT: HttpReply = { status: 504, body: '' }
const FAILED: HttpReply = { status: 500, body: '' }

/** Receives a request that is not answered synchronously and completely, to abort it when the client disconnects. */
export type OnPending = (pending: Pick<RpcRequestContext, 'abort'>) => void

/** Parts of a request that an exchange may depend on, in the form of node:http. */
export interface RequestTarget {
  readonly method?: string | undefined
  /** Path and query. */
  readonly url?: string | undefined
  readonly headers: {
    readonly 'content-type'?: string | undefined
    readonly 'sec-fetch-site'?: string | readonly string[] | undefined
  }
}

/** A request whose body has been read. */
export interface ExchangeRequest {
  readonly body: string | Uint8Array
  /** The `Authorization` header. */
  readonly authorization?: string | undefined
  /** Default: the request cannot be aborted. */
  readonly onPending?: OnPending | undefined
  /** Account of the connection; undefined when the host bounds unsent data. */
  readonly outbound?: OutboundAccount | undefined
  /** Limit of the connection; undefined: unlimited. */
  readonly rate?: RateLimit | undefined
  /** undefined on hosts that do not know it */
  readonly peer?: ConnectionPeer | undefined
  readonly target?: RequestTarget | undefined
}

/** Answers the requests of one endpoint. */
export interface HttpExchange {
  /** @returns never rejects */
  handle(request: ExchangeRequest): HttpReply | Promise<HttpReply>
}

export class RpcExchange implements HttpExchange {
  readonly #options: RpcExchangeOptions
  readonly #timeoutMs: number

  constructor(options: RpcExchangeOptions) {
    this.#options = options
    this.#timeoutMs = options.timeoutMs ?? HTTP_PROCESSING_TIMEOUT_MS
  }

  /** @returns never rejects; synchronous when the handlers are */
  handle(request: ExchangeRequest): HttpReply | Promise<HttpReply> {
    const { authenticate } = this.#options
    if (authenticate === undefined) return this.#run(request, undefined)
    let principal: Principal | Promise<Principal>
    try {
      principal = authenticate(request.authorization)
    } catch (error) {
      return this.#failed(error)
    }
    if (!isPromise(principal)) return this.#run(request, principal)
    return principal.then(
      (settled) => this.#run(request, settled),
      (error) => this.#failed(error),
    )
  }

  #run(
    { body, onPending, outbound, rate, peer, target }: ExchangeRequest,
    principal: Principal | undefined,
  ): HttpReply | Promise<HttpReply> {
    const { envelope } = this.#options
    const { groups } = envelope.served
    // Scripts of pages cannot set this header.
    const isOwnPage = target?.headers['sec-fetch-site'] === 'same-origin'
    const context = new RpcRequestContext({ groups, principal, outbound, rate, peer, isOwnPage })
    return this.#answered(envelope.handle(body, context), context, onPending)
  }

  #answered(
    reply: Reply | Promise<Reply>,
    context: RpcRequestContext,
    onPending: OnPending | undefined,
  ): HttpReply | Promise<HttpReply> {
    if (isPromise(reply)) return this.#limited(reply, context, onPending)
    if (reply.stream !== undefined) onPending?.(context)
    context.release()
    return reply
  }

  /** The time limit applies until the answer begins: from then on the client sees progress. */
  #limited(reply: Promise<Reply>, context: RpcRequestContext, onPending: OnPending | undefined): Promise<HttpReply> {
    onPending?.(context)
    return new Promise((resolve) => {
      const timer = this.#options.timers.schedule(this.#timeoutMs, () => {
        context.abort(new DOMException('the request exceeded its time limit', 'TimeoutError'))
        resolve(TIMED_OUT)
      })
      const settle = (result: HttpReply): void => {
        timer.cancel()
        if (result.stream === undefined) context.release()
        resolve(result)
      }
      reply.then(settle, (error) => settle(this.#failed(error)))
    })
  }

  #failed(error: unknown): HttpReply {
    this.#options.logger.error('HTTP request failed', { error })
    return FAILED
  }
}
