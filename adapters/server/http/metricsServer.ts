/**
 * The port for metrics. Answers are built on request; request bodies are not read.
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  HTTP_HEADERS_TIMEOUT_MS,
  HTTP_KEEP_ALIVE_TIMEOUT_MS,
  MAX_HTTP_HEADER_BYTES,
  MAX_METRICS_CONNECTIONS,
} from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import type { Answer } from '../../../src/http/policy.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import type { MetricsEndpoint } from '../../../src/node/endpoints.ts'
import { hostOf, type ListenOptions, serve } from './listening.ts'

const DRAIN_TIMEOUT_MS = 1_000

export interface MetricsServerOptions extends ListenOptions {
  readonly endpoint: MetricsEndpoint
  readonly logger: Logger
}

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export function serveMetrics(options: MetricsServerOptions): Promise<HttpServer> {
  const { endpoint, logger } = options
  const server = createServer(
    {
      headersTimeout: HTTP_HEADERS_TIMEOUT_MS,
      requestTimeout: HTTP_HEADERS_TIMEOUT_MS,
      keepAliveTimeout: HTTP_KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: MAX_HTTP_HEADER_BYTES,
    },
    (request, response) => send(request, response, answerOf(endpoint, request, logger)),
  )
  server.maxConnections = MAX_METRICS_CONNECTIONS
  return serve(server, options, DRAIN_TIMEOUT_MS)
}

function answerOf(endpoint: MetricsEndpoint, request: IncomingMessage, logger: Logger): Answer {
  const { method = '', url = '', headers } = request
  const [path = '', ...query] = url.split('?')
  const facts = {
    method,
    path,
    host: hostOf(request),
    origin: headers.origin,
    accept: undefined,
    authorization: headers.authorization,
    contentLength: undefined,
    requestedMethod: headers['access-control-request-method'],
    fetchSite: undefined,
  }
  try {
    return endpoint.answer(facts, query.join('?'))
  } catch (error) {
    logger.error('cannot read metrics', { error })
    return { kind: 'answer', status: 500, headers: {}, body: '' }
  }
}

/** A body would have to be read before the connection can be used again. */
function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  const text = Buffer.from(body)
  response.writeHead(status, {
    ...headers,
    'Content-Length': text.length,
    ...(hasBody ? { Connection: 'close' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}
