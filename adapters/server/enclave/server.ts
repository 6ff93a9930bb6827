/**
 * The two ports of an enclave: for nodes and for other enclaves.
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  ENCLAVE_REQUEST_MS,
  HTTP_KEEP_ALIVE_TIMEOUT_MS,
  MAX_ENCLAVE_CONNECTIONS,
  MAX_ENCLAVE_MESSAGE_BYTES,
  MAX_ENCLAVE_PENDING_BYTES,
  MAX_HTTP_HEADER_BYTES,
} from '../../../src/base/limits/limits.ts'
import { HttpPolicy } from '../../../src/http/policy.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { type EnclaveReply, type EnclaveRequest, textReply } from '../../../src/private/enclave/messages.ts'
import { hostOf, type ListenOptions, serve } from '../http/listening.ts'

export interface EnclaveServerOptions extends ListenOptions {
  /** Accepted names of the Host header; `*`: any. Requests from web pages are refused. */
  readonly hosts: readonly string[]
  /** Never rejects. */
  readonly answer: (request: EnclaveRequest) => Promise<EnclaveReply>
}

const DRAIN_TIMEOUT_MS = 2_000

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export function serveEnclave(options: EnclaveServerOptions): Promise<HttpServer> {
  const policy = new HttpPolicy({ hosts: options.hosts })
  const bodies = new Bodies()
  const server = createServer(
    {
      headersTimeout: ENCLAVE_REQUEST_MS,
      requestTimeout: ENCLAVE_REQUEST_MS,
      keepAliveTimeout: HTTP_KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: MAX_HTTP_HEADER_BYTES,
    },
    (request, response) => {
      void handle(request, policy, bodies, options).then((reply) => send(request, response, reply))
    },
  )
  server.maxConnections = MAX_ENCLAVE_CONNECTIONS
  return serve(server, options, DRAIN_TIMEOUT_MS)
}

async function handle(
  request: IncomingMessage,
  policy: HttpPolicy,
  bodies: Bodies,
  { answer }: EnclaveServerOptions,
): Promise<EnclaveReply | undefined> {
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
  #pending = 0

  /** @returns a status when the body is refused; undefined when the connection was closed */
  async read(request: IncomingMessage): Promise<{ body: Uint8Array; release: () => void } | number | undefined> {
    if (Number(request.headers['content-length'] ?? 0) > MAX_ENCLAVE_MESSAGE_BYTES) return 413
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
        const isTooLong = length > MAX_ENCLAVE_MESSAGE_BYTES
        if (isTooLong || this.#pending > MAX_ENCLAVE_PENDING_BYTES) {
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

function send(request: IncomingMessage, response: ServerResponse, reply: EnclaveReply | undefined): void {
  if (reply === undefined) {
    request.destroy()
    return
  }
  const body = Buffer.from(reply.body as string)
  const isRead = request.complete
  response.writeHead(reply.status, {
    'Content-Type': reply.contentType,
    'Content-Length': body.length,
    ...(isRead ? {} : { Connection: 'close' }),
  })
  response.end(body)
}
