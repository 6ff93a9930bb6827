/**
 * WebSockets on node:http, with `ws`. The HTTP policy decides about upgrades on every port. Bun substitutes its own
 * implementation for `ws`; the parts used here behave the same.
 * @module
 */

import { type IncomingMessage, type Server, type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import process from 'node:process'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import {
  MAX_WEBSOCKET_CONNECTIONS,
  MAX_WEBSOCKET_FRAME_BYTES,
  MAX_WEBSOCKET_MESSAGE_FRAMES,
  MAX_WEBSOCKET_MISSED_PINGS,
  WEBSOCKET_CLOSE_TIMEOUT_MS,
  WEBSOCKET_PING_INTERVAL_MS,
} from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { Answer, HttpPolicy } from '../../../src/http/policy.ts'
import { UNKNOWN_CLIENT } from '../../../src/http/requestConnection.ts'
import type { RpcSession } from '../../../src/http/rpcSession.ts'
import type { SocketPort } from '../../../src/http/socketPort.ts'
import { hostOf } from './listening.ts'

export interface WebSocketConnectionsDeps {
  /** Checks host and origin as for HTTP, because pages of other sites must not reach the node by WebSocket either. */
  readonly policy: HttpPolicy
  readonly open: (port: SocketPort, authorization: string | undefined) => RpcSession
  readonly logger?: Logger
  /** Number of simultaneous connections on all ports; further ones are closed immediately. */
  readonly maxConnections?: number
  /**
   * Size limit of one frame in bytes. `ws` limits whole messages only; they may be MAX_WEBSOCKET_MESSAGE_FRAMES times
   * as long.
   */
  readonly maxFrameBytes?: number
  readonly pingIntervalMs?: number
  readonly closeTimeoutMs?: number
}

interface Connection {
  readonly socket: WebSocket
  readonly session: RpcSession
  missedPings: number
  /** Bytes that were waiting to be sent at the last ping. */
  backlog: number
}

/**
 * Options that make Deno and Bun ignore other upgrades (to HTTP/2): they cannot serve a request whose connection they have
 * given away. On Node, the same option loses requests that arrive together with such an offer, so `goOnAsHttp` serves them.
 */
export const UPGRADE_OPTIONS: ServerOptions =
  'Deno' in globalThis || 'Bun' in globalThis ? ({ shouldUpgradeCallback: isWebSocketUpgrade } as ServerOptions) : {}

export class WebSocketConnections {
  readonly #options: WebSocketConnectionsDeps
  readonly #maxConnections: number
  readonly #logger: Logger
  readonly #upgrader: WebSocketServer
  readonly #connections = new Set<Connection>()
  #pings: ReturnType<typeof setInterval> | undefined
  #closed: Promise<void> | undefined
  #onEmpty: (() => void) | undefined

  constructor(options: WebSocketConnectionsDeps) {
    this.#options = options
    this.#maxConnections = options.maxConnections ?? MAX_WEBSOCKET_CONNECTIONS
    this.#logger = options.logger ?? silentLogger
    const maxFrameBytes = options.maxFrameBytes ?? MAX_WEBSOCKET_FRAME_BYTES
    this.#upgrader = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      clientTracking: false,
      maxPayload: maxFrameBytes * MAX_WEBSOCKET_MESSAGE_FRAMES,
    })
  }

  /** Number of open WebSockets. */
  get count(): number {
    return this.#connections.size
  }

  /** Handles the upgrades of a server. WebSockets do not count as HTTP connections of that server. */
  attach(server: Server): void {
    const lastResponses = new WeakMap<Duplex, ServerResponse>()
    const remember = ({ socket }: IncomingMessage, response: ServerResponse): void => {
      lastResponses.set(socket, response)
    }
    server.on('request', remember)
    server.on('checkContinue', remember)
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (isWebSocketUpgrade(request)) this.#upgrade(server, request, socket, head)
      else afterResponse(lastResponses.get(socket), socket, () => goOnAsHttp(server, request, socket, head))
    })
  }

  /** Accepts no further connections and closes the open ones, after a grace period by force. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll()
    return this.#closed
  }

  #upgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', ignore)
    if (this.#closed !== undefined || this.#connections.size >= this.#maxConnections) {
      socket.destroy()
      return
    }
    const { origin } = request.headers
    const refusal = this.#options.policy.refuseUpgrade({ host: hostOf(request), origin })
    if (refusal !== undefined) refuse(socket, refusal)
    else {
      this.#upgrader.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
        server.maxConnections++
        webSocket.once('close', () => server.maxConnections--)
        this.#add(webSocket, request)
      })
    }
  }

  #add(socket: WebSocket, request: IncomingMessage): void {
    const peer = { client: request.socket.remoteAddress ?? UNKNOWN_CLIENT }
    const session = this.#options.open({ ...socketPort(socket), peer }, request.headers.authorization)
    const connection: Connection = { socket, session, missedPings: 0, backlog: 0 }
    this.#connections.add(connection)
    this.#pings ??= setInterval(() => this.#ping(), this.#options.pingIntervalMs ?? WEBSOCKET_PING_INTERVAL_MS)
    socket.on('message', (data: RawData, isBinary: boolean) => {
      connection.missedPings = 0
      session.receive(isBinary ? (data as Buffer) : (data as Buffer).toString())
    })
    socket.on('pong', () => {
      connection.missedPings = 0
    })
    socket.on('error', (error: Error) => this.#logger.debug('a WebSocket connection failed', { error }))
    socket.once('close', () => this.#remove(connection))
  }

  #remove(connection: Connection): void {
    connection.session.closed()
    this.#connections.delete(connection)
    if (this.#connections.size > 0) return
    clearInterval(this.#pings)
    this.#pings = undefined
    this.#onEmpty?.()
  }

  /**
   * A peer that lags receives its pings late, so it counts as alive while it reads. A peer that does not read cannot
   * answer.
   */
  #ping(): void {
    for (const connection of this.#connections) {
      const { socket, session } = connection
      const backlog = socket.bufferedAmount
      if (backlog < connection.backlog || (session.isPaused && backlog === 0)) connection.missedPings = 0
      connection.backlog = backlog
      if (connection.missedPings++ < MAX_WEBSOCKET_MISSED_PINGS) socket.ping()
      else socket.terminate()
    }
  }

  async #closeAll(): Promise<void> {
    if (this.#connections.size === 0) return
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve
    })
    for (const { session } of this.#connections) session.close(1001, 'the node is shutting down')
    const timer = setTimeout(() => {
      for (const { socket } of this.#connections) socket.terminate()
    }, this.#options.closeTimeoutMs ?? WEBSOCKET_CLOSE_TIMEOUT_MS)
    await empty
    clearTimeout(timer)
  }
}

/** Bun's implementation sends only whole messages. */
const CAN_FRAGMENT = process.versions.bun === undefined

function fragmentSender(socket: WebSocket): NonNullable<SocketPort['sendFragment']> {
  return (bytes, isLast, onSent) => socket.send(bytes, { binary: false, fin: isLast }, onSent)
}

function socketPort(socket: WebSocket): SocketPort {
  return {
    send: (text) => socket.send(text, ignore),
    ...(CAN_FRAGMENT ? { sendFragment: fragmentSender(socket) } : {}),
    bufferedAmount: () => socket.bufferedAmount,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: (code, reason) => {
      // The answer to the close frame must be read.
      socket.resume()
      socket.close(code, reason)
    },
    terminate: () => socket.terminate(),
  }
}

function isWebSocketUpgrade({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Responses on a connection end in order: once the last one has ended, neither a parser nor a response holds the
 * socket.
 */
function afterResponse(last: ServerResponse | undefined, socket: Duplex, run: () => void): void {
  if (last === undefined || last.writableFinished || last.destroyed) {
    run()
    return
  }
  const end = (): void => {
    socket.off('error', ignore)
    socket.off('close', end)
    last.off('finish', end)
    if (!socket.destroyed) run()
  }
  // The server adds its own listener when the connection is returned to it.
  socket.on('error', ignore)
  socket.once('close', end)
  last.once('finish', end)
}

const UPGRADE_HEADERS = /^(?:connection|upgrade|http2-settings)$/i

/**
 * Serves a request that offers another protocol (HTTP/2, as Java's client does) as an ordinary request. Node has detached
 * its parser, so the request is fed in again without the offer.
 */
function goOnAsHttp(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (!UPGRADE_HEADERS.test(name)) text += `${name}: ${rawHeaders[i + 1]}\r\n`
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]))
  // The server sets the idle timeout itself.
  ;(socket as Socket).setTimeout(0)
  server.emit((socket as Partial<TLSSocket>).encrypted === true ? 'secureConnection' : 'connection', socket)
}

/** Closes the connection with the answer, even when the peer keeps its side open. */
function refuse(socket: Duplex, { status, headers, body }: Answer): void {
  const all = { ...headers, Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  socket.once('finish', () => socket.destroy())
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}

/** Errors of a client that disconnects during a write are ignored. */
function ignore(): void {}
