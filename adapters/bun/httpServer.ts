/**
 * HTTP on Bun. Bun.serve has no limit of connections.
 * @module
 */

import { HTTP_DRAIN_TIMEOUT_MS, HTTP_KEEP_ALIVE_TIMEOUT_MS } from '../../src/config/limits.ts'
import { type HttpServer, type HttpServerOptions, listenError } from '../../src/http/server.ts'

export interface BunHttpServerOptions extends HttpServerOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** Bodies up to this length reach the policy, which refuses what is too long with the right headers. */
  readonly maxBodyBytes: number
  readonly drainTimeoutMs?: number
}

/** The longest time without traffic that Bun knows; it counts while a request is processed, too. */
const MAX_IDLE_SECONDS = 255

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export function serveHttp(options: BunHttpServerOptions): HttpServer {
  const { host, port, drainTimeoutMs = HTTP_DRAIN_TIMEOUT_MS } = options
  const server = listen(options)
  return {
    host: server.hostname ?? host,
    port: server.port ?? port,
    close: async () => {
      const timer = setTimeout(() => void server.stop(true), drainTimeoutMs)
      await server.stop(false)
      clearTimeout(timer)
    },
  }
}

function listen({ host, port, fetch, maxBodyBytes }: BunHttpServerOptions): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: HTTP_KEEP_ALIVE_TIMEOUT_MS / 1000,
      maxRequestBodySize: maxBodyBytes * 2,
      fetch(request, server) {
        server.timeout(request, MAX_IDLE_SECONDS)
        return fetch(request)
      },
    })
  } catch (cause) {
    throw listenError(cause, (cause as { code?: unknown }).code === 'EADDRINUSE', host, port)
  }
}
