/**
 * HTTP on Node. The JSON-RPC route passes requests from node:http directly to the envelope; everything else passes
 * through the Hono app. Both share one policy object.
 * @module
 */

import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import process from 'node:process'
import type { HttpBindings } from '@hono/node-server'
import {
  HTTP_DRAIN_TIMEOUT_MS,
  HTTP_HEADERS_TIMEOUT_MS,
  HTTP_KEEP_ALIVE_TIMEOUT_MS,
  HTTP_LINGER_MS,
  HTTP_REQUEST_TIMEOUT_MS,
  MAX_HTTP_CONNECTIONS,
  MAX_HTTP_HEADER_BYTES,
  RESPONSE_STALL_MS,
} from '../../../src/base/limits/limits.ts'
import type { Answer, Headers, HttpPolicy, RequestFacts } from '../../../src/http/policy.ts'
import { type RequestConnection, UNKNOWN_CLIENT } from '../../../src/http/requestConnection.ts'
import type { HttpExchange, OnPending } from '../../../src/http/rpcExchange.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { OutboundBudget } from '../../../src/rpc/connection/outboundBudget.ts'
import { RateLimit } from '../../../src/rpc/connection/rateLimit.ts'
import { systemClock, systemTimers, yieldToHost } from '../../shared/systemPorts.ts'
import { DirectConnections } from './directConnection.ts'
import { type HttpConnection, HttpConnections } from './httpConnections.ts'
import {
  type ConnectionEvent,
  drain,
  hostOf,
  type ListenOptions,
  listen,
  trackSockets,
  trackUnused,
} from './listening.ts'
import { send } from './sendReply.ts'
import type { TlsSettings } from './tls.ts'
import { UPGRADE_OPTIONS, type WebSocketConnections } from './webSocketConnections.ts'

export interface NodeHttpServerOptions extends ListenOptions {
  readonly policy: HttpPolicy
  readonly exchange: HttpExchange
  readonly fetch: (request: Request, connection: RequestConnection) => Response | Promise<Response>
  /** undefined: without TLS */
  readonly tls?: TlsSettings | undefined
  /** For each connection; undefined: unlimited. */
  readonly maxRequestsPerSecond?: number | undefined
  /** Whether answers are compressed for clients that accept it. */
  readonly compresses?: boolean
  /** Bounds the unsent bytes of all connections, including those of other servers. Default: a separate budget. */
  readonly outbound?: OutboundBudget
  /** Accepts WebSocket upgrades; without it, they are answered as ordinary requests. */
  readonly webSockets?: WebSocketConnections
  /** Number of simultaneous connections; further ones are closed immediately. */
  readonly maxConnections?: number
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
  readonly keepAliveTimeoutMs?: number
  readonly drainTimeoutMs?: number
  /** A client that receives nothing for this time is disconnected. */
  readonly stallMs?: number
  /** false: the JSON-RPC route also passes through the Hono app. */
  readonly direct?: boolean
  /** Requests that `exchange` may answer; all others pass through the app. Default: those of JSON-RPC. */
  readonly isExchanged?: (request: IncomingMessage) => boolean
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export async function serveHttp(options: NodeHttpServerOptions): Promise<HttpServer> {
  const { webSockets, tls, maxRequestsPerSecond } = options
  const closing = { now: false }
  const connections = new HttpConnections(
    options.outbound ?? new OutboundBudget({ clock: systemClock, timers: systemTimers, yieldToHost }),
    maxRequestsPerSecond === undefined ? undefined : () => new RateLimit(maxRequestsPerSecond, systemClock),
  )
  const listener = requestListener(options, connections, closing)
  const headersTimeout = options.headersTimeoutMs ?? HTTP_HEADERS_TIMEOUT_MS
  const server = await createListening(
    {
      headersTimeout,
      requestTimeout: options.requestTimeoutMs ?? HTTP_REQUEST_TIMEOUT_MS,
      keepAliveTimeout: options.keepAliveTimeoutMs ?? HTTP_KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: Math.min(headersTimeout, 5_000),
      maxHeaderSize: MAX_HTTP_HEADER_BYTES,
      noDelay: true,
      ...(webSockets === undefined ? {} : UPGRADE_OPTIONS),
    },
    tls,
    listener,
  )
  const direct = connectDirectly(options, server, connections, (socket) => unused.delete(socket))
  const sockets = trackSockets(server)
  server.maxConnections = options.maxConnections ?? MAX_HTTP_CONNECTIONS
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = options.policy.decide(factsOf(request))
    if (refusal.kind !== 'answer') response.writeContinue()
    listener(request, response)
  })
  const event: ConnectionEvent = tls === undefined ? 'connection' : 'secureConnection'
  server.on(event, (socket: Socket) => void connections.of(socket))
  if (webSockets !== undefined) server.on('upgrade', ({ socket }) => connections.of(socket).leave())
  webSockets?.attach(server)
  const unused = trackUnused(server, event)
  const address = await listen(server, options)
  return {
    ...address,
    get connectionCount() {
      return sockets.size
    },
    isSecure: tls !== undefined,
    close: async () => {
      closing.now = true
      direct?.close()
      connections.turns.close()
      for (const socket of unused) socket.destroy()
      const drainTimeoutMs = options.drainTimeoutMs ?? HTTP_DRAIN_TIMEOUT_MS
      const timer = setTimeout(destroyAll, drainTimeoutMs, sockets)
      await Promise.all([drain(server, drainTimeoutMs, sockets), webSockets?.close()])
      clearTimeout(timer)
    },
  }
}

/** Bun and Deno do not deliver connections to the listener that is replaced, and TLS costs more than this saves. */
function connectDirectly(
  options: NodeHttpServerOptions,
  server: Server,
  connections: HttpConnections,
  onUsed: (socket: Socket) => void,
): DirectConnections | undefined {
  const { policy, exchange, tls, direct = true, isExchanged } = options
  const isNode = process.versions['bun'] === undefined && process.versions['deno'] === undefined
  if (!isNode || tls !== undefined || !direct || isExchanged !== undefined) return undefined
  return new DirectConnections(server, {
    policy,
    exchange,
    connections,
    compresses: options.compresses ?? false,
    headersTimeoutMs: options.headersTimeoutMs ?? HTTP_HEADERS_TIMEOUT_MS,
    keepAliveTimeoutMs: options.keepAliveTimeoutMs ?? HTTP_KEEP_ALIVE_TIMEOUT_MS,
    stallMs: options.stallMs ?? RESPONSE_STALL_MS,
    onUsed,
  })
}

/** For connections unknown to node:http: those still in their TLS handshake, and those that are answered directly. */
function destroyAll(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy()
}

/** https is loaded only for TLS. A client that is not allowed is disconnected before its requests are read. */
async function createListening(
  options: ServerOptions,
  tls: TlsSettings | undefined,
  listener: Listener,
): Promise<Server> {
  if (tls === undefined) return createServer(options, listener)
  const https = await import('node:https')
  const server = https.createServer({ ...options, ...tls.options }, listener)
  const { allows, onRefused } = tls
  if (allows !== undefined) {
    server.prependListener('secureConnection', (socket) => {
      if (allows(socket)) return
      onRefused?.(socket.remoteAddress ?? UNKNOWN_CLIENT, 'it has no known certificate')
      socket.destroy()
    })
  }
  if (tls.options.requestCert === true) {
    server.on('tlsClientError', ({ message }, socket) => {
      const { authorizationError } = socket
      const reason = typeof authorizationError === 'string' ? authorizationError : message
      onRefused?.(socket.remoteAddress ?? UNKNOWN_CLIENT, reason)
    })
  }
  return server
}

function requestListener(
  options: NodeHttpServerOptions,
  connections: HttpConnections,
  closing: { readonly now: boolean },
): Listener {
  const { policy, direct: isDirect = true, isExchanged = isJsonRpc } = options
  let app: Promise<Listener> | undefined
  const throughApp: Listener = (request, response) => {
    app ??= loadApp(options.fetch, connections)
    void app.then((listener) => listener(request, response))
  }
  return (request, response) => {
    // Remaining data that a connection sent before it was ended.
    if (request.socket.destroyed) return
    const connection = connections.of(request.socket)
    connection.arrived()
    if (closing.now) response.setHeader('Connection', 'close')
    if (!isDirect || !isExchanged(request)) {
      throughApp(request, response)
      return
    }
    const decision = policy.decide(factsOf(request), connection)
    if (decision.kind === 'rpc' || decision.kind === 'graphql') {
      receive(request, response, decision.headers, connection, options)
    } else if (decision.kind === 'answer') refuse(request, response, decision)
    else throughApp(request, response)
  }
}

function isJsonRpc({ url, method }: IncomingMessage): boolean {
  return url === '/' && method === 'POST'
}

/** Loaded for the first request off the JSON-RPC route, because it takes 15 ms. */
async function loadApp(fetch: NodeHttpServerOptions['fetch'], connections: HttpConnections): Promise<Listener> {
  const { getRequestListener } = await import('@hono/node-server')
  return getRequestListener(
    (request, bindings) => {
      const { socket } = (bindings as HttpBindings).incoming
      return fetch(request, connections.of(socket))
    },
    { overrideGlobalObjects: false },
  )
}

function factsOf(request: IncomingMessage): RequestFacts {
  const { method = '', url = '', headers } = request
  return {
    method,
    path: url,
    host: hostOf(request),
    origin: headers.origin,
    accept: headers.accept,
    authorization: headers.authorization,
    contentLength: headers['content-length'],
    requestedMethod: headers['access-control-request-method'],
    fetchSite: headers['sec-fetch-site'] as string | undefined,
  }
}

/** Reads and counts the body, and passes it on once it is complete. A truncated body needs no answer. */
function receive(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Headers,
  connection: HttpConnection,
  options: NodeHttpServerOptions,
): void {
  const { maxBodyBytes } = options.policy
  let first: Buffer | undefined
  let chunks: Buffer[] | undefined
  let length = 0
  let refused = false
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (refused) return
    if (length > maxBodyBytes) {
      refused = true
      chunks = undefined
      refuse(request, response, options.policy.tooLarge(headers))
    } else if (first === undefined) first = chunk
    else if (chunks === undefined) chunks = [first, chunk]
    else chunks.push(chunk)
  })
  request.on('end', () => {
    if (refused) return
    const body = chunks === undefined ? first : Buffer.concat(chunks, length)
    const text = body === undefined ? '' : body.toString()
    connection.begin(length, () => answer(request, response, headers, text, connection, options))
  })
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Headers,
  body: string,
  connection: HttpConnection,
  { exchange, compresses = false, stallMs = RESPONSE_STALL_MS }: NodeHttpServerOptions,
): void {
  const { authorization } = request.headers
  const { outbound, rate } = connection
  const onPending: OnPending = (pending) => abortOnClose(response, pending)
  const reply = exchange.handle({ body, authorization, onPending, outbound, rate, peer: connection, target: request })
  const codings = compresses ? request.headers['accept-encoding'] : undefined
  if (reply instanceof Promise) {
    void reply.then((settled) => send(response, settled, headers, codings, connection, stallMs))
  } else send(response, reply, headers, codings, connection, stallMs)
}

function abortOnClose(response: ServerResponse, pending: Parameters<OnPending>[0]): void {
  response.on('error', ignore)
  response.once('close', () => {
    if (!response.writableFinished) pending.abort(new DOMException('the client has disconnected', 'AbortError'))
  })
}

/**
 * Answers before the body has been read completely. The connection cannot be reused, but is closed only once the client
 * has stopped sending; otherwise, the client could lose the answer.
 */
function refuse(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  const length = Buffer.byteLength(body)
  if (request.complete || !hasBody(request)) {
    response.writeHead(status, { ...headers, 'Content-Length': length })
    response.end(body)
    return
  }
  response.on('error', ignore)
  response.writeHead(status, { ...headers, 'Content-Length': length, Connection: 'close' })
  if (length > 0) response.write(body)
  else response.flushHeaders()
  const timer = setTimeout(() => response.end(), HTTP_LINGER_MS)
  request.once('close', () => {
    clearTimeout(timer)
    response.end()
  })
  request.once('end', () => response.end())
  request.resume()
}

/** Errors of a client that disconnects during a write are ignored. */
function ignore(): void {}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}
