/**
 * HTTP on Deno. Deno.serve has no limit of connections and closes idle ones by its own rules.
 * @module
 */

import { HTTP_DRAIN_TIMEOUT_MS } from '../../src/config/limits.ts'
import { type HttpServer, type HttpServerOptions, listenError } from '../../src/http/server.ts'

export interface DenoHttpServerOptions extends HttpServerOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>
  readonly drainTimeoutMs?: number
}

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export function serveHttp(options: DenoHttpServerOptions): HttpServer {
  const { host, port, fetch, drainTimeoutMs = HTTP_DRAIN_TIMEOUT_MS } = options
  const end = new AbortController()
  const server = listen(host, port, end.signal, fetch)
  return {
    host: server.addr.hostname,
    port: server.addr.port,
    close: async () => {
      const timer = setTimeout(() => end.abort(), drainTimeoutMs)
      await server.shutdown()
      clearTimeout(timer)
    },
  }
}

function listen(
  hostname: string,
  port: number,
  signal: AbortSignal,
  fetch: DenoHttpServerOptions['fetch'],
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ hostname, port, signal, onListen: () => {} }, (request) => fetch(request))
  } catch (cause) {
    throw listenError(cause, cause instanceof Deno.errors.AddrInUse, hostname, port)
  }
}
