/**
 * The common part of all servers on node:http: listening, tracking unused connections, closing.
 * @module
 */
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from '../../../src/base/ports/host.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { type HttpServer, type HttpServerOptions, listenError } from '../../../src/http/server.ts'

const DRAIN_CHECK_MS = 20

/** Connections that were accepted elsewhere. */
export interface ConnectionSource {
  /** Where they were accepted. */
  readonly host: string
  readonly port: number
  /** Call it once. */
  onConnection(receive: (socket: Socket) => void): void
  /** Called with each connection that asks to become a WebSocket. */
  onUpgrade?(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void
}

export interface ListenOptions extends HttpServerOptions {
  readonly logger?: Logger
  /** Replaces the port. */
  readonly source?: ConnectionSource
}

/** @returns address and port of the listener @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export async function listen(server: Server, options: ListenOptions): Promise<HttpServerOptions> {
  const { source } = options
  if (source === undefined) {
    await listenOnPort(server, options)
    const { address, port } = server.address() as AddressInfo
    return { host: address, port }
  }
  // Without this event, node:http neither limits the time of a request nor finds idle connections.
  server.emit('listening')
  if (server.listenerCount('upgrade') > 0) {
    server.prependListener('upgrade', ({ headers, socket }: IncomingMessage) => {
      if (headers.upgrade?.toLowerCase() === 'websocket') source.onUpgrade?.(socket)
    })
  }
  source.onConnection((socket) => {
    socket.setNoDelay(true)
    server.emit('connection', socket)
  })
  return { host: source.host, port: source.port }
}

function listenOnPort(server: Server, { host, port, logger = silentLogger }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(listenError(cause, cause.code === 'EADDRINUSE', host, port))
    })
    server.listen({ host, port }, () => {
      server.removeAllListeners('error')
      server.on('error', (error) => logger.warn('cannot accept a connection', { error }))
      resolve()
    })
  })
}

/**
 * Listens with a server that has all its other listeners.
 * @param drainTimeoutMs time that requests in progress have when it closes
 * @param alsoClose closes what node:http does not know
 * @throws {NodeError} PORT_IN_USE, LISTEN_FAILED
 */
export async function serve(
  server: Server,
  options: ListenOptions,
  drainTimeoutMs: number,
  alsoClose?: () => Promise<void>,
): Promise<HttpServer> {
  const unused = trackUnused(server)
  const sockets = trackSockets(server)
  const address = await listen(server, options)
  return {
    ...address,
    close: async () => {
      for (const socket of unused) socket.destroy()
      await Promise.all([drain(server, drainTimeoutMs, sockets), alsoClose?.()])
    },
  }
}

/**
 * Returns the connections without a request so far (browsers open them in advance), which node:http does not count as
 * idle. Call it after all other listeners have been added to the server.
 */
export function trackUnused(server: Server, event: ConnectionEvent = 'connection'): Set<Socket> {
  const unused = new Set<Socket>()
  const seenSockets = new WeakSet<Socket>()
  server.on(event, (socket: Socket) => {
    // A connection is reported again when a request on it has offered another protocol.
    if (seenSockets.has(socket)) return
    seenSockets.add(socket)
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  const forget = ({ socket }: IncomingMessage): void => {
    unused.delete(socket)
  }
  server.on('request', forget)
  server.on('checkContinue', forget)
  // A listener alone would make Node emit upgrades that nothing handles.
  if (server.listenerCount('upgrade') > 0) server.on('upgrade', forget)
  return unused
}

/** The event of a server for a connection whose requests are read; over TLS, after the handshake. */
export type ConnectionEvent = 'connection' | 'secureConnection'

/** Connections before and after their handshakes. */
export function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    // A connection is reported again when a request on it has offered another protocol.
    if (sockets.has(socket)) return
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** The `Host` header; several are joined into a list, which no policy allows (RFC 9112 section 3.2). */
export function hostOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1 ? Array(count).fill(headers.host).join(', ') : headers.host
}

/**
 * Closes connections that become idle while the server closes; otherwise, they would be kept for a next request.
 * @param sockets all connections of the server
 */
export async function drain(server: Server, timeoutMs: number, sockets: ReadonlySet<Socket>): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), DRAIN_CHECK_MS)
  const end = setTimeout(() => server.closeAllConnections(), timeoutMs)
  const closed = server.listening ? new Promise<void>((resolve) => server.close(() => resolve())) : allClosed(sockets)
  server.closeIdleConnections()
  await closed
  clearInterval(idle)
  clearTimeout(end)
}

/** A server that does not listen knows only the connections with a request. */
async function allClosed(sockets: ReadonlySet<Socket>): Promise<void> {
  await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
}
