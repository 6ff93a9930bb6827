/**
 * The port for JSON-RPC over WebSocket: accepts upgrades on any path, and nothing else.
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  HTTP_HEADERS_TIMEOUT_MS,
  MAX_HTTP_HEADER_BYTES,
  MAX_WEBSOCKET_CONNECTIONS,
  WEBSOCKET_CLOSE_TIMEOUT_MS,
} from '../../src/config/limits.ts'
import type { HttpServer } from '../../src/http/server.ts'
import { drain, type ListenOptions, listen, trackUnused } from './listening.ts'
import { UPGRADE_OPTIONS, type WebSocketConnections } from './webSocketConnections.ts'

export interface WebSocketServerOptions extends ListenOptions {
  readonly webSockets: WebSocketConnections
  /** Number of simultaneous connections that are not WebSockets yet; further ones are closed immediately. */
  readonly maxConnections?: number
}

const NO_HTTP = "Websocket endpoint can't handle HTTP requests"

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export async function serveWebSocket(options: WebSocketServerOptions): Promise<HttpServer> {
  const { webSockets } = options
  const server = createHttpRefusingServer()
  server.maxConnections = options.maxConnections ?? MAX_WEBSOCKET_CONNECTIONS
  webSockets.attach(server)
  const unused = trackUnused(server)
  await listen(server, options)
  const { address, port } = server.address() as AddressInfo
  return {
    host: address,
    port,
    close: async () => {
      for (const socket of unused) socket.destroy()
      await Promise.all([drain(server, WEBSOCKET_CLOSE_TIMEOUT_MS), webSockets.close()])
    },
  }
}

function createHttpRefusingServer(): Server {
  const timeouts = { headersTimeout: HTTP_HEADERS_TIMEOUT_MS, requestTimeout: HTTP_HEADERS_TIMEOUT_MS }
  const limits = { ...timeouts, maxHeaderSize: MAX_HTTP_HEADER_BYTES, connectionsCheckingInterval: 5_000 }
  const server = createServer({ ...limits, noDelay: true, ...UPGRADE_OPTIONS }, refuse)
  // Without this listener, a request with `Expect: 100-continue` would never be answered.
  server.on('checkContinue', refuse)
  return server
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.writeHead(400, { 'Content-Length': NO_HTTP.length, Connection: 'close' })
  response.end(NO_HTTP)
}
