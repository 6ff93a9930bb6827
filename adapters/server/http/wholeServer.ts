/**
 * A server for whole requests and whole answers, with bounds for all of them together.
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { HTTP_KEEP_ALIVE_TIMEOUT_MS, MAX_HTTP_HEADER_BYTES } from '../../../src/base/limits/limits.ts'
import { HttpPolicy } from '../../../src/http/policy.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { hostOf, type ListenOptions, serve } from './listening.ts'

export interface WholeRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly body: Uint8Array
}

export interface WholeReply {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
}

export interface WholeServerLimits {
  readonly maxConnections: number
  readonly maxBodyBytes: number
  /** Bodies of all requests in progress. */
  readonly maxPendingBytes: number
  /** Time to receive a request. */
  readonly requestMs: number
}

export interface WholeServerOptions extends ListenOptions {
  /** Accepted names of the Host header; `*`: any. Requests from web pages are refused. */
  readonly hosts: readonly string[]
  readonly limits: WholeServerLimits
  /** Never rejects. */
  readonly answer: (request: WholeRequest) => Promise<WholeReply>
}

const DRAIN_TIMEOUT_MS = 2_000

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export function serveWhole(options: WholeServerOptions): Promise<HttpServer> {
  const { limits } = options
  const policy = new HttpPolicy({ hosts: options.hosts })
  const bodies = new Bodies(limits)
  const server = createServer(
    {
      headersTimeout: limits.requestMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: HTTP_KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: MAX_HTTP_HEADER_BYTES,
    },
    (request, response) => {
      void handle(request, policy, bodies, options).then((reply) => send(request, response, reply))
    },
  )
  server.maxConnections = limits.maxConnections
  return serve(server, options, DRAIN_TIMEOUT_MS)
}

async function handle(
  request: IncomingMessage,
  policy: HttpPolicy,
  bodies: Bodies,
  { answer }: WholeServerOptions,
): Promise<WholeReply | undefined> {
  const { method = '', url = '', headers } = request
  const admitted = policy.admit({ method, host: hostOf(request), origin: headers.origin, requestedMethod: undefined })
  if ('kind' in admitted) return textReply(admitted.status, 'The host or the origin of the request is not allowed')
  const body = await bodies.read(request)
  if (typeof body === 'number') return textReply(body, body === 413 ? 'The request is too long' : 'Too many requests')
  try {
    return body && (await answer({ method, path: url.split('?')[0] as string, body: body.body }))
  } finally {
    body?.release()
  }
}

/** Bodies of the requests in progress, whose total size is limited. */
class Bodies {
  readonly #limits: WholeServerLimits
  #pending = 0

  constructor(limits: WholeServerLimits) {
    this.#limits = limits
  }

  /** @returns a status when the body is refused; undefined when the connection was closed */
  async read(request: IncomingMessage): Promise<{ body: Uint8Array; release: () => void } | number | undefined> {
    const { maxBodyBytes, maxPendingBytes } = this.#limits
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return 413
    const chunks: Buffer[] = []
    let length = 0
    const release = (): void => {
      this.#pending -= length
      length = 0
    }
    try {
      for await (const chunk of request) {
        length += (chunk as Buffer).length
        this.#pending += (chunk as Buffer).length
        const isTooLong = length > maxBodyBytes
        if (isTooLong || this.#pending > maxPendingBytes) {
          release()
          return isTooLong ? 413 : 503
        }
        chunks.push(chunk as Buffer)
      }
    } catch {
      release()
      return undefined
    }
    return { body: Buffer.concat(chunks), release }
  }
}

function send(request: IncomingMessage, response: ServerResponse, reply: WholeReply | undefined): void {
  if (reply === undefined) {
    request.destroy()
    return
  }
  const body = Buffer.from(reply.body)
  const isRead = request.complete
  response.writeHead(reply.status, {
    'Content-Type': reply.contentType,
    'Content-Length': body.length,
    ...(isRead ? {} : { Connection: 'close' }),
  })
  response.end(body)
}

function textReply(status: number, text: string): WholeReply {
  return { status, contentType: 'text/plain', body: text }
}
