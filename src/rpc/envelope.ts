/**
 * Executes JSON-RPC 2.0 requests and batches: text in, text out.
 *
 * Answers are compact JSON; Besu adds spaces and line feeds, which are lost in parsing. A request with a synchronous
 * handler is answered synchronously: no promise and no turn of the event loop.
 * @see JSON-RPC 2.0; the differences are those of Besu 23.4
 * @module
 */

import { unexpectedValue } from '../api/errors.ts'
import {
  BATCH_STREAM_LENGTH,
  MAX_BATCH_ITEMS,
  MAX_BATCH_RESPONSE_LENGTH,
  RPC_TIME_SLICE_MS,
} from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { Metrics } from '../base/ports/metrics.ts'
import type { RequestWorkers } from '../base/ports/requestWorkers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { BatchRunner } from './batchReply.ts'
import { HeavyMethods, type TraceResults } from './heavyMethods.ts'
import { isPromise } from './invoke.ts'
import { type ParsedJson, parseJson } from './jsonText.ts'
import type { MethodDefinition } from './method.ts'
import { type Forwarder, type OnUnauthorized, PendingRequest, type RequestServices } from './pendingRequest.ts'
import type { ServedMethods } from './registry.ts'
import { ErrorReplies, type ErrorReplyOptions, joinAnswers, NO_ANSWER, type Reply } from './reply.ts'
import type { RpcRequestContext } from './requestContext.ts'
import { RequestMetrics } from './requestMetrics.ts'
import { RequestTimes } from './requestTimes.ts'
import type { RpcObserver } from './rpcObserver.ts'
import { NO_PARAMS, type RpcRequest, readSimpleBatch, readSimpleRequest } from './simpleRequest.ts'

/**
 * A WebSocket has no status, has its own error for malformed messages and accepts batches of any size. `ipc`: a socket of the
 * host. `local`: requests of the program that runs the node.
 */
export type Transport = 'http' | 'websocket' | 'ipc' | 'local'

export interface EnvelopeOptions<Backend> extends ErrorReplyOptions {
  readonly served: ServedMethods<Backend>
  readonly backend: Backend
  readonly clock: Clock
  readonly transport?: Transport
  /** 0: any number. Default: 1024 over HTTP, any number over a WebSocket. */
  readonly maxBatchItems?: number
  readonly maxBatchResponseLength?: number
  /** Worker threads for heavy methods. */
  readonly workers?: RequestWorkers | undefined
  /** Answers of small traces. Default: none are kept. */
  readonly traces?: TraceResults
  /** Fetches data that a call missed in a store that is not fully resident. */
  readonly residency?: Residency
  readonly yieldToHost: YieldToHost
  /** Observes each call; default: none. */
  readonly observer?: RpcObserver | undefined
  /** Called with each method that the caller may not call. */
  readonly onUnauthorized?: OnUnauthorized | undefined
  /** Called before each request or batch is read. */
  readonly onRequest?: (() => void) | undefined
  /** Gives what one request or batch uses, for a backend that is replaced as a whole. Default: always the same */
  readonly pin?: PinServices<Backend> | undefined
  /** Default: requests are not counted. */
  readonly metrics?: Metrics | undefined
  /** Default: this process answers all requests. */
  readonly forwarder?: Forwarder | undefined
}

/** @param services of the endpoint @returns the same ones with the present backend */
export type PinServices<Backend> = (services: RequestServices<Backend>) => RequestServices<Backend>

/** Memory of a batch per character of its text: the text, its bytes, the parsed requests (estimate). */
const PARSED_BYTES_PER_CHARACTER = 8
const EMPTY_BATCH: Reply = { status: 200, body: '[]' }
/** Response to a batch that contains null. */
const NULL_IN_BATCH: Reply = { status: 400, body: '' }

export class Envelope<Backend> {
  readonly #options: EnvelopeOptions<Backend>
  readonly #services: RequestServices<Backend>
  readonly #errors: ErrorReplies
  readonly #maxBatchItems: number
  readonly #maxResponseLength: number
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #isWebSocket: boolean
  /** Loaded by the first batch that does not finish at once. */
  #batches: Promise<BatchRunner> | undefined

  constructor(options: EnvelopeOptions<Backend>) {
    this.#options = options
    this.#isWebSocket = options.transport === 'websocket'
    this.#errors = new ErrorReplies(options)
    this.#maxBatchItems = options.maxBatchItems ?? (this.#isWebSocket ? 0 : MAX_BATCH_ITEMS)
    this.#maxResponseLength = options.maxBatchResponseLength ?? MAX_BATCH_RESPONSE_LENGTH
    this.#services = {
      served: options.served,
      backend: options.backend,
      profile: options.profile,
      heavy: new HeavyMethods(options),
      errors: this.#errors,
      maxResponseLength: this.#maxResponseLength,
      residency: options.residency,
      observer: options.observer,
      onUnauthorized: options.onUnauthorized,
      forwarder: options.forwarder,
      metrics: options.metrics && requestMetrics(options.metrics, options),
      times: new RequestTimes(options.clock),
    }
  }

  get served(): ServedMethods<Backend> {
    return this.#options.served
  }

  /**
   * @param body JSON text; bytes are decoded as UTF-8, invalid ones as U+FFFD
   * @returns never rejects
   */
  handle(body: string | Uint8Array, context: RpcRequestContext): Reply | Promise<Reply> {
    try {
      this.#options.onRequest?.()
      return this.#read(body, context)
    } catch (error) {
      return this.#broken(error)
    }
  }

  #read(body: string | Uint8Array, context: RpcRequestContext): Reply | Promise<Reply> {
    const services = this.#options.pin?.(this.#services) ?? this.#services
    const text = typeof body === 'string' ? body : this.#decoder.decode(body)
    const simple = readSimpleRequest(text)
    if (simple !== undefined) return new PendingRequest(services, simple, context, undefined).answer()
    const read = readSimpleBatch(text, this.served.methods)
    if (read !== undefined) return this.#batch({ items: read, read, length: text.length, context, services })
    const parsed = parseJson(text)
    if (parsed === undefined) return this.#unparsable(text)
    const { value } = parsed
    if (Array.isArray(value)) return this.#batch({ ...parsed, items: value, context, services })
    return typeof value === 'object' && value !== null
      ? this.#request(value, parsed.idTexts?.get(0), { context, services }, undefined)
      : this.#unparsable(text)
  }

  /** Response to a request that was refused unread. */
  refuse(code: string): string {
    return this.#errors.refusal(code)
  }

  /**
   * Response to an error outside any single request: the answers of a batch together exceed the maximum length of a
   * string.
   */
  #broken(error: unknown): Reply {
    return { status: 200, body: this.#errors.text('null', error) }
  }

  #unparsable(text: string): Reply {
    if (this.#options.transport === 'ipc') return { status: 400, body: this.refuse('PARSE_ERROR'), endsStream: true }
    if (!this.#isWebSocket) return { status: 400, body: this.refuse('PARSE_ERROR') }
    if (text === '') return { status: 400, body: this.refuse('INVALID_REQUEST') }
    return { status: 400, body: this.refuse(this.#options.profile === 'geth' ? 'PARSE_ERROR' : 'INTERNAL_ERROR') }
  }

  /** @param room maximum length of an answer within a batch */
  #request(
    value: object,
    idText: string | undefined,
    { context, services }: Pick<Batch<Backend>, 'context' | 'services'>,
    room: number | undefined,
  ): Reply | Promise<Reply> {
    const request = readRequest(this.served, value, idText)
    if (request === 'invalid') return this.#invalid(value, idText)
    return request === 'notification' ? NO_ANSWER : new PendingRequest(services, request, context, room).answer()
  }

  /**
   * Wallets call their own methods with named parameters, so in the profile `geth` the method name decides about the
   * error.
   */
  #invalid(value: object, idText: string | undefined): Reply | Promise<Reply> {
    const { id, params } = value as { id?: unknown; params?: unknown }
    const isNamed = this.#options.profile === 'geth' && typeof params === 'object' && !Array.isArray(params)
    const request = isNamed ? readRequest(this.served, { ...value, params: null }, idText) : 'invalid'
    if (request === 'invalid') {
      const error = new NodeError({ code: 'INVALID_REQUEST' }, 'invalid request')
      return { status: 400, body: this.#errors.text(invalidRequestId(id), error) }
    }
    if (request === 'notification') return NO_ANSWER
    const { id: text, method } = request
    const refuse = (): Reply => {
      const isServed = this.served.methods.has(method)
      const error = isServed ? unexpectedValue('an array', 'an object', 'params') : this.served.refusal(method)
      return this.#errors.reply(text, error)
    }
    const loading = this.served.methods.has(method) ? undefined : this.served.load(method)
    return loading === undefined ? refuse() : loading.then(refuse, (error) => this.#errors.reply(text, error))
  }

  #batch(batch: Batch<Backend>): Reply | Promise<Reply> {
    const { items, context } = batch
    if (items.length === 0) {
      return this.#isWebSocket ? EMPTY_BATCH : { status: 400, body: this.refuse('INVALID_REQUEST') }
    }
    if (this.#maxBatchItems > 0 && items.length > this.#maxBatchItems) {
      return { status: 200, body: this.refuse('BATCH_TOO_LARGE') }
    }
    if (items.includes(null)) return NULL_IN_BATCH
    const { times } = this.#services
    const startedMs = times.beginBatch()
    try {
      return this.#slice(batch, context.outbound?.turnEnd() ?? startedMs + RPC_TIME_SLICE_MS)
    } finally {
      times.endBatch()
    }
  }

  /** Answers until a request has to wait, or until the time or the room is used up. */
  #slice(batch: Batch<Backend>, sliceEnd: number): Reply | Promise<Reply> {
    const { items } = batch
    const { times } = this.#services
    let body = ''
    for (let i = 0; i < items.length; i++) {
      const beganMs = times.begin()
      const reply = this.#item(batch, i, body.length)
      if (isPromise(reply)) return this.#restOfBatch(batch, i, body, reply)
      body = joinAnswers(body, reply.body)
      // An item that is no request has not looked at the clock.
      const nowMs = times.begin() === beganMs ? times.end() : times.begin()
      if (body.length > BATCH_STREAM_LENGTH || nowMs > sliceEnd) return this.#restOfBatch(batch, i, body, NO_ANSWER)
    }
    return { status: 200, body: `[${body}]` }
  }

  /** The requests after the one at `index`, whose reply is still pending. */
  #restOfBatch(batch: Batch<Backend>, index: number, before: string, pending: Reply | Promise<Reply>): Promise<Reply> {
    const { items, context } = batch
    const rest = {
      context,
      count: items.length,
      bytes: PARSED_BYTES_PER_CHARACTER * batch.length,
      answer: (i: number, length: number) => this.#item(batch, i, length),
    }
    this.#batches ??= loadBatches(this.#options)
    return Promise.all([this.#batches, pending])
      .then(([batches, reply]) => batches.run(rest, index + 1, joinAnswers(before, reply.body)))
      .catch((error) => this.#broken(error))
  }

  /** @param length of the preceding answers, in characters */
  #item(batch: Batch<Backend>, index: number, length: number): Reply | Promise<Reply> {
    const { items, read, context, services } = batch
    const room = this.#maxResponseLength - length
    const isOpen = room >= 0 && !context.aborted
    const simple = read?.[index]
    if (simple !== undefined) {
      return isOpen ? new PendingRequest(services, simple, context, room).answer() : this.#closed(simple, room)
    }
    const item = items[index]
    const idText = batch.idTexts?.get(index)
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      return { status: 400, body: this.refuse('INVALID_REQUEST') }
    }
    if (isOpen) return this.#request(item, idText, batch, room)
    const request = readRequest(this.served, item, idText)
    return request === 'invalid' || request === 'notification' ? NO_ANSWER : this.#closed(request, room)
  }

  /** The answer to a request of a batch that has no room or was aborted. */
  #closed(request: RpcRequest, room: number): Reply {
    const error =
      room < 0
        ? new NodeError({ code: 'RESPONSE_TOO_LARGE' }, 'response too large')
        : new NodeError({ code: 'TIMEOUT' }, 'request aborted')
    return this.#errors.reply(request.id, error)
  }
}

async function loadBatches({
  clock,
  yieldToHost,
}: Pick<EnvelopeOptions<never>, 'clock' | 'yieldToHost'>): Promise<BatchRunner> {
  const { BatchRunner } = await import('./batchReply.ts')
  return new BatchRunner(clock, yieldToHost)
}

interface Batch<Backend> {
  readonly items: readonly unknown[]
  /** The items, if they were read as requests. */
  readonly read?: readonly RpcRequest[]
  /** Of the text. */
  readonly length: number
  readonly idTexts?: ParsedJson['idTexts']
  readonly context: RpcRequestContext
  readonly services: RequestServices<Backend>
}

function readRequest(
  { methods }: Pick<ServedMethods<never>, 'methods'>,
  value: object,
  idText: string | undefined,
): RpcRequest | 'notification' | 'invalid' {
  const { id, method, params } = value as { id?: unknown; method?: unknown; params?: unknown }
  const name = typeof method === 'string' ? method : methodName(method)
  if (name === undefined) return 'invalid'
  const values = Array.isArray(params) ? params : paramsOf(params, methods.get(name))
  if (values === undefined) return 'invalid'
  if (id === undefined) return 'notification'
  const text = idJson(id, idText)
  if (text === undefined) return 'invalid'
  return { id: text, method: name, params: values }
}

/** @returns undefined for params that the method does not take */
function paramsOf(
  params: unknown,
  definition: Pick<MethodDefinition, 'takesObject'> | undefined,
): readonly unknown[] | undefined {
  if (params === undefined || params === null) return NO_PARAMS
  return typeof params === 'object' && definition?.takesObject === true ? [params] : undefined
}

/** A method name of another JSON type is an unknown method, not an invalid request, when it converts to text. */
function methodName(method: unknown): string | undefined {
  return typeof method === 'number' || typeof method === 'bigint' || typeof method === 'boolean'
    ? String(method)
    : undefined
}

/** @returns undefined for a value that cannot be an id */
function idJson(id: unknown, idText: string | undefined): string | undefined {
  if (typeof id === 'number') return idText !== undefined && Number(idText) === id ? idText : JSON.stringify(id)
  if (typeof id === 'string') return JSON.stringify(id)
  if (id === null) return 'null'
  return typeof id === 'bigint' ? String(id) : undefined
}

/** Responses to invalid requests repeat the id only when it is a number, as a 32-bit integer. */
function invalidRequestId(id: unknown): string {
  if (typeof id === 'number') return String(id | 0)
  return typeof id === 'bigint' ? String(BigInt.asIntN(32, id)) : 'null'
}

function requestMetrics<Backend>(
  metrics: Metrics,
  { served, transport = 'http' }: EnvelopeOptions<Backend>,
): RequestMetrics {
  return new RequestMetrics(metrics, served.methods.values(), transport)
}
