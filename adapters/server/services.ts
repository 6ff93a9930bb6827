/**
 * The servers of a node that runs as a program.
 * @module
 */

import type { ServiceAddress } from '../../src/api/nodeInfo.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { urlOf } from '../../src/base/primitives/hostPort.ts'
import { hasWebSocketPort, isWebSocketPortOptional } from '../../src/cli/rules.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { GRAPHQL_PATH } from '../../src/http/graphqlRoutes.ts'
import type { HttpServer } from '../../src/http/server.ts'
import { serveHttp } from './http/httpServer.ts'
import { MetricsPush } from './http/metricsPush.ts'
import { serveMetrics } from './http/metricsServer.ts'
import type { TlsSettings } from './http/tls.ts'
import { WebSocketConnections } from './http/webSocketConnections.ts'
import { serveWebSocket } from './http/webSocketServer.ts'
import type { Session } from './session.ts'

export interface Services {
  readonly http: HttpServer | undefined
  /** A separate port, or the HTTP port, which also serves WebSockets. */
  readonly webSocket: HttpServer | undefined
  readonly graphql: HttpServer | undefined
  readonly metrics: HttpServer | undefined
  close(): Promise<void>
}

/** The values of the options, and which of them were set. */
export interface ServiceOptions {
  readonly options: NodeOptions
  readonly given: ReadonlySet<string>
  /** Whether WebSockets are served on the HTTP port only, unless their port was given. */
  readonly sharesPort?: boolean
}

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export async function startServices(line: ServiceOptions, session: Session): Promise<Services> {
  const { options } = line
  const { node, host } = session
  await node.goOnline()
  const webSockets = options['rpc-ws-enabled'] ? acceptWebSockets(options, session) : undefined
  const tls = options['rpc-http-tls-enabled'] ? (await import('./http/tls.ts')).openTls(options) : undefined
  const http = options['rpc-http-enabled'] ? await startHttp(options, session, tls, webSockets) : undefined
  const hasPort = webSockets !== undefined && hasWebSocketPort(options, line.given)
  const own = hasPort ? await startWebSocket(line, session, webSockets, http) : undefined
  const webSocket = webSockets === undefined ? undefined : (own ?? http)
  const graphql = await orClose([http, own], startGraphql(options, session, tls))
  const metrics = await orClose([http, own, graphql], startMetrics(options, session))
  const servers = [http, own, graphql, metrics]
  if (http !== undefined) node.announce('jsonrpc', addressOf(http))
  if (webSocket !== undefined) node.announce('ws', addressOf(webSocket))
  if (metrics !== undefined) node.announce('metrics', addressOf(metrics))
  registerConnections(session, http, webSockets)
  const push = startPush(options, session)
  const close = async (): Promise<void> => {
    // Waits for requests in progress, except for traces, which can take minutes.
    await Promise.all([...servers.map((server) => server?.close()), push?.close(), host.workers?.close()])
  }
  return { http, webSocket, graphql, metrics, close }
}

function acceptWebSockets(options: NodeOptions, { node, host }: Session): WebSocketConnections {
  const { policy, open } = node.endpoints.get('webSocket')
  return new WebSocketConnections({
    policy,
    open,
    logger: host.logger.child('ws'),
    maxConnections: options['rpc-ws-max-active-connections'],
    maxFrameBytes: options['rpc-ws-max-frame-size'],
  })
}

async function startHttp(
  options: NodeOptions,
  { node: { endpoints, outbound } }: Session,
  tls: TlsSettings | undefined,
  webSockets: WebSocketConnections | undefined,
): Promise<HttpServer> {
  const { policy, exchange, fetch } = endpoints.get('http')
  return serveHttp({
    policy,
    exchange,
    fetch,
    outbound,
    host: options['rpc-http-host'],
    port: options['rpc-http-port'],
    ...connectionRules(options),
    tls,
    ...(webSockets === undefined ? {} : { webSockets }),
  })
}

/** The connection limits of JSON-RPC over HTTP also apply to GraphQL. */
function connectionRules(options: NodeOptions) {
  return {
    maxConnections: options['rpc-http-max-active-connections'],
    maxRequestsPerSecond: options['rpc-max-requests-per-second'] || undefined,
    compresses: options['rpc-http-compression-enabled'],
  }
}

/** Whether a request is for GraphQL, and not for a file of its page. */
export function isGraphql({ url = '' }: { readonly url?: string | undefined }): boolean {
  return url === GRAPHQL_PATH || url.startsWith(`${GRAPHQL_PATH}?`)
}

async function startGraphql(
  options: NodeOptions,
  { node: { endpoints, outbound } }: Session,
  tls: TlsSettings | undefined,
): Promise<HttpServer | undefined> {
  if (!options['graphql-http-enabled']) return undefined
  const { policy, exchange, fetch } = endpoints.get('graphql')
  return serveHttp({
    policy,
    exchange,
    fetch,
    isExchanged: isGraphql,
    outbound,
    host: options['graphql-http-host'],
    port: options['graphql-http-port'],
    ...connectionRules(options),
    tls,
  })
}

/** @returns undefined when the port is in use and the HTTP port serves WebSockets instead */
async function startWebSocket(
  { options, given, sharesPort }: ServiceOptions,
  { node, host }: Session,
  webSockets: WebSocketConnections,
  http: HttpServer | undefined,
): Promise<HttpServer | undefined> {
  if (sharesPort === true && http !== undefined && !given.has('rpc-ws-port')) return undefined
  const port = options['rpc-ws-port']
  try {
    const { policy, login: route } = node.endpoints.get('webSocket')
    const login = route && { policy, route }
    return await serveWebSocket({ webSockets, login, host: options['rpc-ws-host'], port })
  } catch (error) {
    const isOptional = http !== undefined && isWebSocketPortOptional(given)
    if (isOptional && isNodeError(error, 'PORT_IN_USE')) {
      host.logger.warn(`port ${port} for WebSockets is in use; they are served only on ${urlOf('ws', http)}`)
      return undefined
    }
    await http?.close()
    throw error
  }
}

/** @param started servers to close when the port cannot be opened */
async function startMetrics(options: NodeOptions, { node, host }: Session): Promise<HttpServer | undefined> {
  const endpoint = node.endpoints.get('metrics')
  if (endpoint === undefined || !options['metrics-enabled']) return undefined
  const logger = host.logger.child('metrics')
  return serveMetrics({ endpoint, logger, host: options['metrics-host'], port: options['metrics-port'] })
}

/** Closes the servers that have started when the next one cannot start. */
async function orClose<T>(started: readonly (HttpServer | undefined)[], next: Promise<T>): Promise<T> {
  try {
    return await next
  } catch (error) {
    await Promise.all(started.map((server) => server?.close()))
    throw error
  }
}

function registerConnections(
  { host: { metrics } }: Session,
  http: HttpServer | undefined,
  webSockets: WebSocketConnections | undefined,
): void {
  if (metrics === undefined) return
  const gauge = (name: string, help: string) => metrics.gauge({ category: 'RPC', name, help })
  const httpCount = gauge('active_http_connection_count', 'Open connections to the HTTP port.')
  const webSocketCount = gauge('active_ws_connection_count', 'Open WebSockets.')
  metrics.onRead(() => {
    httpCount.set(http?.connectionCount ?? 0)
    webSocketCount.set(webSockets?.count ?? 0)
  })
}

function startPush(options: NodeOptions, { host }: Session): MetricsPush | undefined {
  const { metrics, logger, timers } = host
  if (metrics === undefined || !options['metrics-push-enabled']) return undefined
  return new MetricsPush({
    metrics,
    timers,
    logger: logger.child('metrics'),
    host: options['metrics-push-host'],
    port: options['metrics-push-port'],
    job: options['metrics-push-prometheus-job'],
    intervalMs: options['metrics-push-interval'] * 1000,
  })
}

function addressOf({ host, port }: HttpServer): ServiceAddress {
  return { host, port }
}
