/**
 * What every server on node:http does alike: listen, know its unused connections, close.
 * @module
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { type HttpServerOptions, listenError } from '../../src/http/server.ts'
import type { Logger } from '../../src/ports/host.ts'
import { silentLogger } from '../../src/ports/logging.ts'

const DRAIN_CHECK_MS = 20

export interface ListenOptions extends HttpServerOptions {
  readonly logger?: Logger
}

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export function listen(server: Server, { host, port, logger = silentLogger }: ListenOptions): Promise<void> {
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
 * Connections without a request so far (browsers open them in advance), which node:http does not take for idle.
 * To be called when everything else listens to the server.
 */
export function trackUnused(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>()
  const known = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    // A connection comes again when a request on it has offered another protocol.
    if (known.has(socket)) return
    known.add(socket)
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  const forget = ({ socket }: IncomingMessage): void => {
    unused.delete(socket)
  }
  server.on('request', forget)
  server.on('checkContinue', forget)
  // A listener alone would make upgrades come that nobody takes.
  if (server.listenerCount('upgrade') > 0) server.on('upgrade', forget)
  return unused
}

/** The `Host` header; several of them as one list, which no policy allows (RFC 9112 section 3.2). */
export function hostOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1 ? Array(count).fill(headers.host).join(', ') : headers.host
}

/** Connections that become idle while the server closes would else be kept for the next request. */
export function drain(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), DRAIN_CHECK_MS)
    const end = setTimeout(() => server.closeAllConnections(), timeoutMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(end)
      resolve()
    })
    server.closeIdleConnections()
  })
}
