/**
 * The port for JSON-RPC over WebSocket: accepts upgrades on any path, and nothing else.
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import {
  HTTP_HEADERS_TIMEOUT_MS,
  MAX_HTTP_HEADER_BYTES,
  MAX_WEBSOCKET_CONNECTIONS,
  WEBSOCKET_CLOSE_TIMEOUT_MS,
} from '../../../src/base/limits/limits.ts'
import type { LoginRoute } from '../../../src/http/loginRoute.ts'
import type { HttpPolicy } from '../../../src/http/policy.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { hostOf, type ListenOptions, serve } from './listening.ts'
import { UPGRADE_OPTIONS, type WebSocketConnections } from './webSocketConnections.ts'

/** Logins on a port of WebSockets. */
export interface LoginService {
  readonly policy: HttpPolicy
  readonly route: LoginRoute
}

export interface WebSocketServerOptions extends ListenOptions {
  readonly webSockets: WebSocketConnections
  /** Serves `POST /login`; undefined: no HTTP request is served. */
  readonly login?: LoginService | undefined
  /** Number of simultaneous connections that are not WebSockets yet; further ones are closed immediately. */
  readonly maxConnections?: number
}

const LOGIN_PATH = '/login'
const NO_HTTP = "Websocket endpoint can't handle HTTP requests"

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export function serveWebSocket(options: WebSocketServerOptions): Promise<HttpServer> {
  const { webSockets } = options
  const server = createHttpRefusingServer(options.login)
  server.maxConnections = options.maxConnections ?? MAX_WEBSOCKET_CONNECTIONS
  webSockets.attach(server)
  return serve(server, options, WEBSOCKET_CLOSE_TIMEOUT_MS, () => webSockets.close())
}

function createHttpRefusingServer(login: LoginService | undefined): Server {
  const refuse = login === undefined ? refuseHttp : loginListener(login)
  const timeouts = { headersTimeout: HTTP_HEADERS_TIMEOUT_MS, requestTimeout: HTTP_HEADERS_TIMEOUT_MS }
  const limits = { ...timeouts, maxHeaderSize: MAX_HTTP_HEADER_BYTES, connectionsCheckingInterval: 5_000 }
  const server = createServer({ ...limits, noDelay: true, ...UPGRADE_OPTIONS }, refuse)
  // Without this listener, a request with `Expect: 100-continue` would never be answered.
  server.on('checkContinue', refuse)
  return server
}

/** Answers logins, and refuses everything else. */
function loginListener({ policy, route }: LoginService): typeof refuseHttp {
  const answer = async (request: Request, { incoming }: HttpBindings): Promise<Response> => {
    const { headers } = incoming
    const decision = policy.decide({
      method: request.method,
      path: LOGIN_PATH,
      host: hostOf(incoming),
      origin: headers.origin,
      accept: headers.accept,
      authorization: undefined,
      contentLength: headers['content-length'],
      requestedMethod: headers['access-control-request-method'],
      fetchSite: undefined,
    })
    if (decision.kind === 'answer') {
      return new Response(decision.body === '' ? null : decision.body, decision)
    }
    return route(request, incoming.socket.remoteAddress ?? 'unknown')
  }
  let listener: Promise<typeof refuseHttp> | undefined
  return (request, response) => {
    if (request.url !== LOGIN_PATH) {
      refuseHttp(request, response)
      return
    }
    listener ??= import('@hono/node-server').then(({ getRequestListener }) =>
      getRequestListener((incoming, bindings) => answer(incoming, bindings as HttpBindings), {
        overrideGlobalObjects: false,
      }),
    )
    void listener.then((serve) => serve(request, response))
  }
}

function refuseHttp(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.writeHead(400, { 'Content-Length': NO_HTTP.length, Connection: 'close' })
  response.end(NO_HTTP)
}
