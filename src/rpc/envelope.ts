/**
 * Executes JSON-RPC 2.0 requests and batches: text in, text out.
 *
 * Answers are compact JSON; Besu adds spaces and line feeds, which are lost in parsing. A request with a synchronous
 * handler is answered synchronously: no promise and no turn of the event loop.
 * @see JSON-RPC 2.0; the differences are those of Besu 23.4
 * @module
 */

import type { RpcProfile } from '../api/profile.ts'
import {
  BATCH_STREAM_LENGTH,
  MAX_BATCH_ITEMS,
  MAX_BATCH_RESPONSE_LENGTH,
  MAX_STORE_MISSES_PER_CALL,
  RPC_TIME_SLICE_MS,
} from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import { type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import type { Metrics } from '../base/ports/metrics.ts'
import type { RequestWorkers } from '../base/ports/requestWorkers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { isNodeError, NodeError } from '../base/primitives/errors.ts'
import { BatchRunner, join } from './batchReply.ts'
import { errorRow, INTERNAL_ERROR, type RpcError, toRpcError } from './errors.ts'
import { HeavyMethods, type TraceResults } from './heavyMethods.ts'
import { invoke, isPromise } from './invoke.ts'
import { type ParsedJson, parseJson } from './jsonText.ts'
import type { MethodDefinition } from './method.ts'
import type { ServedMethods } from './registry.ts'
import type { Reply } from './reply.ts'
import type { RpcRequestContext } from './requestContext.ts'
import { RequestMetrics } from './requestMetrics.ts'
import type { RpcObserver } from './rpcObserver.ts'
import { NO_PARAMS, type RpcRequest, readSimpleRequest } from './simpleRequest.ts'
import { collectText, type StreamedText, streamText } from './streamedReply.ts'
import { StreamedResult } from './streamedResult.ts'
import { TextResult } from './textResult.ts'

/**
 * A WebSocket has no status, has its own error for malformed messages and accepts batches of any size. `local`: requests
 * of the program that runs the node.
 */
export type Transport = 'http' | 'websocket' | 'local'

export interface EnvelopeOptions<Backend> {
  readonly served: ServedMethods<Backend>
  readonly backend: Backend
  readonly profile: RpcProfile
  readonly logger: Logger
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
  /** Called before each request or batch is read. */
  readonly onRequest?: (() => void) | undefined
  /** Default: requests are not counted. */
  readonly metrics?: Metrics | undefined
}

/** Memory of a batch per character of its text: the text, its bytes, the parsed requests (estimate). */
const PARSED_BYTES_PER_CHARACTER = 8
const RESULT_END = '}'
const PARSE_ERROR_CODE = -32700
const INVALID_REQUEST_CODE = -32600
const UNAUTHORIZED_CODE = -40100
const NOTHING: Reply = { status: 200, body: '' }
const EMPTY_BATCH: Reply = { status: 200, body: '[]' }
/** Response to a batch that contains null. */
const NULL_IN_BATCH: Reply = { status: 400, body: '' }

export class Envelope<Backend> {
  readonly #served: ServedMethods<Backend>
  readonly #options: EnvelopeOptions<Backend>
  readonly #profile: RpcProfile
  readonly #maxBatchItems: number
  readonly #maxResponseLength: number
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #isWebSocket: boolean
  /** undefined without metrics. */
  readonly #metrics: RequestMetrics | undefined
  readonly #batches: BatchRunner
  readonly #heavy: HeavyMethods<Backend>

  constructor(options: EnvelopeOptions<Backend>) {
    this.#options = options
    this.#served = options.served
    this.#profile = options.profile
    this.#isWebSocket = options.transport === 'websocket'
    this.#metrics = options.metrics && requestMetrics(options.metrics, options)
    this.#heavy = new HeavyMethods(options)
    this.#batches = new BatchRunner(options.clock, options.yieldToHost)
    this.#maxBatchItems = options.maxBatchItems ?? (this.#isWebSocket ? 0 : MAX_BATCH_ITEMS)
    this.#maxResponseLength = options.maxBatchResponseLength ?? MAX_BATCH_RESPONSE_LENGTH
  }

  get served(): ServedMethods<Backend> {
    return this.#served
  }

  /**
   * @param body JSON text; bytes are decoded as UTF-8, invalid ones as U+FFFD
   * @returns never rejects
   */
  handle(body: string | Uint8Array, call: RpcRequestContext): Reply | Promise<Reply> {
    try {
      this.#options.onRequest?.()
      return this.#read(body, call)
    } catch (error) {
      return this.#broken(error)
    }
  }

  #read(body: string | Uint8Array, call: RpcRequestContext): Reply | Promise<Reply> {
    const text = typeof body === 'string' ? body : this.#decoder.decode(body)
    const simple = readSimpleRequest(text)
    if (simple !== undefined) return this.#answer(simple, call, undefined)
    const parsed = parseJson(text)
    if (parsed === undefined) return this.#unparsable(text)
    const { value } = parsed
    if (Array.isArray(value)) return this.#batch(value, parsed, call)
    return typeof value === 'object' && value !== null
      ? this.#request(value, 0, parsed, call, undefined)
      : this.#unparsable(text)
  }

  /** Response to a request that was refused unread. */
  refuse(code: string): string {
    return this.#errorText('null', new NodeError({ code }, code))
  }

  /**
   * Response to an error outside any single request: the answers of a batch together exceed the maximum length of a
   * string.
   */
  #broken(error: unknown): Reply {
    return { status: 200, body: this.#errorText('null', error) }
  }

  #unparsable(text: string): Reply {
    if (!this.#isWebSocket) return { status: 400, body: this.refuse('PARSE_ERROR') }
    if (text === '') return { status: 400, body: this.refuse('INVALID_REQUEST') }
    return { status: 400, body: this.refuse(this.#profile === 'geth' ? 'PARSE_ERROR' : 'INTERNAL_ERROR') }
  }

  /** @param room maximum length of an answer within a batch */
  #request(
    value: object,
    index: number,
    parsed: ParsedJson,
    call: RpcRequestContext,
    room: number | undefined,
  ): Reply | Promise<Reply> {
    const request = readRequest(value, parsed.idTexts?.get(index))
    return request === undefined ? this.#invalid(value, parsed.idTexts?.get(index)) : this.#answer(request, call, room)
  }

  /**
   * Wallets call their own methods with named parameters, so in the profile `geth` the method name decides about the
   * error.
   */
  #invalid(value: object, idText: string | undefined): Reply {
    const { id, params } = value as { id?: unknown; params?: unknown }
    const isNamed = this.#profile === 'geth' && typeof params === 'object' && !Array.isArray(params)
    const request = isNamed ? readRequest({ ...value, params: null }, idText) : undefined
    if (request === undefined) {
      const error = new NodeError({ code: 'INVALID_REQUEST' }, 'invalid request')
      return { status: 400, body: this.#errorText(invalidRequestId(id), error) }
    }
    if (request.id === undefined) return NOTHING
    const error = this.#served.methods.has(request.method)
      ? new NodeError({ code: 'INVALID_PARAMS' }, 'params: expected an array, got an object')
      : this.#served.refusal(request.method)
    return { status: 200, body: this.#errorText(request.id, error) }
  }

  #answer(request: RpcRequest, call: RpcRequestContext, room: number | undefined): Reply | Promise<Reply> {
    const { observer } = this.#options
    if (request.id === undefined) return NOTHING
    return observer === undefined
      ? this.#dispatch(request, request.id, call, room)
      : this.#observed(observer, request, request.id, call, room)
  }

  #observed(
    observer: RpcObserver,
    request: RpcRequest,
    id: string,
    call: RpcRequestContext,
    room: number | undefined,
  ): Reply | Promise<Reply> {
    const observed = observer.begin(request.method)
    call.notes = observed
    if (observed === undefined) return this.#dispatch(request, id, call, room)
    const reply = this.#dispatch(request, id, call, room)
    if (!isPromise(reply)) {
      observed.end(reply.error)
      return reply
    }
    return reply.then((ended) => {
      observed.end(ended.error)
      return ended
    })
  }

  #dispatch(
    request: RpcRequest,
    id: string,
    call: RpcRequestContext,
    room: number | undefined,
  ): Reply | Promise<Reply> {
    const { method } = request
    if (call.rate !== undefined && !call.rate.take()) return { ...this.#errorReply(id, rateLimited()), status: 429 }
    const definition = this.#served.methods.get(method)
    if (definition === undefined) return this.#errorReply(id, this.#served.refusal(method))
    const startedMs = this.#metrics?.started(definition) ?? 0
    if (call.principal !== undefined && !call.principal.permits(method)) {
      return { ...this.#errorReply(id, new NodeError({ code: 'UNAUTHORIZED' }, 'unauthorized')), status: 401 }
    }
    const reply = this.#execute(definition, request, id, call, room)
    return this.#metrics === undefined ? reply : this.#metrics.ended(definition, startedMs, reply)
  }

  #execute(
    definition: MethodDefinition<Backend>,
    { params }: RpcRequest,
    id: string,
    call: RpcRequestContext,
    room: number | undefined,
  ): Reply | Promise<Reply> {
    try {
      const result = this.#run(definition, params, call)
      if (!isPromise(result)) return this.#settled(definition, params, id, call, room, result)
      return result.then(
        (value) => this.#settled(definition, params, id, call, room, value),
        (error) => this.#failed(definition, params, id, call, room, error),
      )
    } catch (error) {
      return this.#failed(definition, params, id, call, room, error)
    }
  }

  #run(definition: MethodDefinition<Backend>, params: readonly unknown[], call: RpcRequestContext): unknown {
    if (definition.isHeavy === true) return this.#heavy.run(definition, params, call)
    return invoke(definition, this.#options.backend, params, call, this.#profile)
  }

  #settled(
    definition: MethodDefinition<Backend>,
    params: readonly unknown[],
    id: string,
    call: RpcRequestContext,
    room: number | undefined,
    result: unknown,
  ): Reply | Promise<Reply> {
    try {
      const reply = this.#written(definition, id, result, call, room)
      return isPromise(reply) ? reply.catch((error) => this.#failed(definition, params, id, call, room, error)) : reply
    } catch (error) {
      return this.#failed(definition, params, id, call, room, error)
    }
  }

  /** @throws errors of a streamed result; RangeError when the text exceeds the maximum length of a string */
  #written(
    { name }: MethodDefinition<Backend>,
    id: string,
    result: unknown,
    call: RpcRequestContext,
    room: number | undefined,
  ): Reply | Promise<Reply> {
    if (!(result instanceof StreamedResult)) return { status: 200, body: resultText(id, result) }
    const before = resultHead(id)
    const most = room ?? (call.streams ? undefined : this.#maxResponseLength)
    if (most !== undefined) {
      const text = collectText(result, most, call)
      return isPromise(text)
        ? text.then((whole) => replyOf(before + whole + RESULT_END))
        : replyOf(before + text + RESULT_END)
    }
    const text = streamText(result, before, RESULT_END, call, (error) => this.#broke(name, error))
    return isPromise(text) ? text.then(replyOf) : replyOf(text)
  }

  /** Logs the error that broke a response: the client cannot receive it. */
  #broke(method: string, error: unknown): void {
    const isExpected = error instanceof DOMException || toRpcError(error, this.#profile) !== undefined
    if (isExpected) this.#options.logger.debug('a response was interrupted', { method, error })
    else this.#options.logger.error('request failed', { method, error })
  }

  #failed(
    definition: MethodDefinition<Backend>,
    params: readonly unknown[],
    id: string,
    call: RpcRequestContext,
    room: number | undefined,
    error: unknown,
  ): Reply | Promise<Reply> {
    const { residency } = this.#options
    if (residency !== undefined && error instanceof StoreMiss) {
      return this.#executeResident(definition, params, id, call, room, error, residency)
    }
    return this.#errorReply(id, error, definition.name)
  }

  /** Fetches the missing data and repeats the call until nothing is missing. */
  async #executeResident(
    definition: MethodDefinition<Backend>,
    params: readonly unknown[],
    id: string,
    call: RpcRequestContext,
    room: number | undefined,
    firstMiss: StoreMiss,
    residency: Residency,
  ): Promise<Reply> {
    let error: unknown = firstMiss
    try {
      for (let misses = 0; error instanceof StoreMiss && misses < MAX_STORE_MISSES_PER_CALL; misses++) {
        await residency.load(error.request)
        if (call.aborted) error = new NodeError({ code: 'TIMEOUT' }, 'request aborted')
        else {
          try {
            const result: unknown = await this.#run(definition, params, call)
            return await this.#written(definition, id, result, call, room)
          } catch (next) {
            error = next
          }
        }
      }
    } catch (failure) {
      error = failure
    }
    return this.#errorReply(id, error, definition.name)
  }

  #batch(items: readonly unknown[], parsed: ParsedJson, call: RpcRequestContext): Reply | Promise<Reply> {
    if (items.length === 0) {
      return this.#isWebSocket ? EMPTY_BATCH : { status: 400, body: this.refuse('INVALID_REQUEST') }
    }
    if (this.#maxBatchItems > 0 && items.length > this.#maxBatchItems) {
      return { status: 200, body: this.refuse('BATCH_TOO_LARGE') }
    }
    if (items.includes(null)) return NULL_IN_BATCH
    const { clock } = this.#options
    const sliceEnd = call.outbound?.turnEnd() ?? clock.monotonic() + RPC_TIME_SLICE_MS
    let body = ''
    for (let i = 0; i < items.length; i++) {
      const reply = this.#item(items[i], i, parsed, call, body.length)
      if (isPromise(reply)) return this.#restOfBatch(reply, i, body, items, parsed, call)
      body = join(body, reply.body)
      if (body.length > BATCH_STREAM_LENGTH || clock.monotonic() > sliceEnd) {
        return this.#restOfBatch(NOTHING, i, body, items, parsed, call)
      }
    }
    return { status: 200, body: `[${body}]` }
  }

  /** The requests after the one at `index`, whose reply is still pending. */
  #restOfBatch(
    pending: Reply | Promise<Reply>,
    index: number,
    before: string,
    items: readonly unknown[],
    parsed: ParsedJson,
    call: RpcRequestContext,
  ): Promise<Reply> {
    const answer = (i: number, length: number): Reply | Promise<Reply> => this.#item(items[i], i, parsed, call, length)
    const rest = { call, count: items.length, bytes: PARSED_BYTES_PER_CHARACTER * parsed.length, answer }
    return this.#batches.run(rest, index, before, pending).catch((error) => this.#broken(error))
  }

  #item(
    item: unknown,
    index: number,
    parsed: ParsedJson,
    call: RpcRequestContext,
    length: number,
  ): Reply | Promise<Reply> {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      return { status: 400, body: this.refuse('INVALID_REQUEST') }
    }
    const isTooLong = length > this.#maxResponseLength
    if (!isTooLong && !call.aborted) {
      return this.#request(item, index, parsed, call, this.#maxResponseLength - length)
    }
    const request = readRequest(item, parsed.idTexts?.get(index))
    if (request?.id === undefined) return NOTHING
    const error = isTooLong
      ? new NodeError({ code: 'RESPONSE_TOO_LARGE' }, 'response too large')
      : new NodeError({ code: 'TIMEOUT' }, 'request aborted')
    return { status: 200, body: this.#errorText(request.id, error) }
  }

  #errorText(id: string, error: unknown): string {
    return this.#errorReply(id, error).body
  }

  #errorReply(id: string, error: unknown, method?: string): Reply {
    let answer = toRpcError(error, this.#profile)
    if (answer === undefined || (isNodeError(error) && errorRow(error.code)?.isLogged === true)) {
      this.#options.logger.error('request failed', { method, error })
      answer ??= INTERNAL_ERROR
    }
    return { status: this.#statusOf(answer), body: errorText(id, answer), error: answer }
  }

  /** A parameter that cannot be parsed (an enode URL) is answered like a request that cannot be parsed. */
  #statusOf({ code }: RpcError): 200 | 400 | 401 {
    if (code === UNAUTHORIZED_CODE) return 401
    const isRefused = code === PARSE_ERROR_CODE || (code === INVALID_REQUEST_CODE && this.#profile === 'besu')
    return isRefused ? 400 : 200
  }
}

function rateLimited(): NodeError {
  return new NodeError({ code: 'RATE_LIMITED' }, 'the connection exceeded its number of requests per second')
}

/** @returns undefined when it is not a valid request */
function readRequest(value: object, idText: string | undefined): RpcRequest | undefined {
  const { id, method, params } = value as { id?: unknown; method?: unknown; params?: unknown }
  const name = typeof method === 'string' ? method : methodName(method)
  if (name === undefined) return undefined
  if (params !== undefined && params !== null && !Array.isArray(params)) return undefined
  const list = params === undefined || params === null ? NO_PARAMS : (params as readonly unknown[])
  if (id === undefined) return { id: undefined, method: name, params: list }
  const text = idJson(id, idText)
  return text === undefined ? undefined : { id: text, method: name, params: list }
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

function resultText(id: string, result: unknown): string {
  const json = result instanceof TextResult ? result.text : JSON.stringify(result)
  return resultHead(id) + (json ?? 'null') + RESULT_END
}

function resultHead(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`
}

function replyOf(text: StreamedText): Reply {
  return typeof text === 'string' ? { status: 200, body: text } : { status: 200, body: '', stream: text }
}

function errorText(id: string, { code, message, data }: RpcError): string {
  const tail = data === undefined ? '' : `,"data":${JSON.stringify(data)}`
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}${tail}}}`
}

function requestMetrics<Backend>(
  metrics: Metrics,
  { served, clock, transport = 'http' }: EnvelopeOptions<Backend>,
): RequestMetrics {
  return new RequestMetrics(metrics, clock, served.methods.values(), transport)
}
