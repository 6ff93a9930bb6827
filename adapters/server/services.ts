/**
 * The servers of a node that runs as a program.
 * @module
 */

import type { ServiceAddress } from '../../src/api/nodeInfo.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { urlOf } from '../../src/base/primitives/hostPort.ts'
import { GRAPHQL_PATH } from '../../src/http/graphqlRoutes.ts'
import type { HttpServer } from '../../src/http/server.ts'
import { serveHttp } from './http/httpServer.ts'
import type { IpcServer } from './http/ipcServer.ts'
import { MetricsPush } from './http/metricsPush.ts'
import { serveMetrics } from './http/metricsServer.ts'
import type { TlsSettings } from './http/tls.ts'
import { WebSocketConnections } from './http/webSocketConnections.ts'
import { serveWebSocket } from './http/webSocketServer.ts'
import type { ServerNode } from './serverNode.ts'
import {
  type ConnectionSettings,
  type ListenSettings,
  type MetricsPushSettings,
  type ServiceOptions,
  serviceSettings,
  type TlsFiles,
  type WebSocketSettings,
} from './settings.ts'

export interface Services {
  readonly http: HttpServer | undefined
  /** A separate port, or the HTTP port, which also serves WebSockets. */
  readonly webSocket: HttpServer | undefined
  readonly graphql: HttpServer | undefined
  readonly metrics: HttpServer | undefined
  readonly ipc: IpcServer | undefined
  close(): Promise<void>
}

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export async function startServices(line: ServiceOptions, serverNode: ServerNode): Promise<Services> {
  const settings = serviceSettings(line)
  const { node, host } = serverNode
  await node.goOnline()
  const webSockets = settings.webSocket && acceptWebSockets(settings.webSocket, serverNode)
  const tls = settings.tls && (await openTls(settings.tls, serverNode))
  const httpOptions = { ...settings.connections, tls }
  const http = settings.http && (await startHttp({ ...settings.http, ...httpOptions, webSockets }, serverNode))
  const webSocketServer = webSockets && (await startWebSocket(settings.webSocket, serverNode, webSockets, http))
  const webSocket = webSockets === undefined ? undefined : (webSocketServer ?? http)
  const graphql = await orClose(
    [http, webSocketServer],
    settings.graphql && startGraphql({ ...settings.graphql, ...httpOptions }, serverNode),
  )
  const metrics = await orClose([http, webSocketServer, graphql], startMetrics(settings.metrics, serverNode))
  const ipc = await orClose([http, webSocketServer, graphql, metrics], startIpc(settings.ipc, serverNode))
  const servers = [http, webSocketServer, graphql, metrics, ipc]
  if (http !== undefined) node.announce('jsonrpc', addressOf(http))
  if (webSocket !== undefined) node.announce('ws', addressOf(webSocket))
  if (metrics !== undefined) node.announce('metrics', addressOf(metrics))
  registerConnections(serverNode, http, webSockets)
  const push = startPush(settings.metricsPush, serverNode)
  const close = async (): Promise<void> => {
    // Waits for requests in progress, except for traces, which can take minutes.
    await Promise.all([...servers.map((server) => server?.close()), push?.close(), host.workers?.close()])
  }
  return { http, webSocket, graphql, metrics, ipc, close }
}

async function openTls(files: TlsFiles, { node }: ServerNode): Promise<TlsSettings> {
  const tls = (await import('./http/tls.ts')).openTls(files)
  return { ...tls, onRefused: (client, reason) => node.security.report({ kind: 'certificate', client, reason }) }
}

function acceptWebSockets(
  { maxConnections, maxFrameBytes }: WebSocketSettings,
  { node, host }: ServerNode,
): WebSocketConnections {
  const { policy, open } = node.endpoints.get('webSocket')
  return new WebSocketConnections({
    policy,
    open,
    logger: host.logger.child('ws'),
    maxConnections,
    maxFrameBytes,
  })
}

interface HttpSettings extends ListenSettings, ConnectionSettings {
  readonly tls: TlsSettings | undefined
}

function startHttp(
  { webSockets, ...settings }: HttpSettings & { readonly webSockets: WebSocketConnections | undefined },
  { node: { endpoints, outbound } }: ServerNode,
): Promise<HttpServer> {
  const { policy, exchange, fetch } = endpoints.get('http')
  return serveHttp({
    policy,
    exchange,
    fetch,
    outbound,
    ...settings,
    ...(webSockets === undefined ? {} : { webSockets }),
  })
}

/** Whether a request is for GraphQL, and not for a file of its page. */
export function isGraphql({ url = '' }: { readonly url?: string | undefined }): boolean {
  return url === GRAPHQL_PATH || url.startsWith(`${GRAPHQL_PATH}?`)
}

function startGraphql(settings: HttpSettings, { node: { endpoints, outbound } }: ServerNode): Promise<HttpServer> {
  const { policy, exchange, fetch } = endpoints.get('graphql')
  return serveHttp({ policy, exchange, fetch, isExchanged: isGraphql, outbound, ...settings })
}

/** @returns undefined when only the HTTP port serves WebSockets */
async function startWebSocket(
  settings: WebSocketSettings | undefined,
  { node, host }: ServerNode,
  webSockets: WebSocketConnections,
  http: HttpServer | undefined,
): Promise<HttpServer | undefined> {
  if (settings?.separate === undefined) return undefined
  const { separate, isPortOptional } = settings
  try {
    const { policy, login: route } = node.endpoints.get('webSocket')
    const login = route && { policy, route }
    return await serveWebSocket({ webSockets, login, ...separate })
  } catch (error) {
    if (http !== undefined && isPortOptional && isNodeError(error, 'PORT_IN_USE')) {
      host.logger.warn(`port ${separate.port} for WebSockets is in use; they are served only on ${urlOf('ws', http)}`)
      return undefined
    }
    await http?.close()
    throw error
  }
}

/** @param started servers to close when the port cannot be opened */
async function startMetrics(
  address: ListenSettings | undefined,
  { node, host }: ServerNode,
): Promise<HttpServer | undefined> {
  const endpoint = node.endpoints.get('metrics')
  if (endpoint === undefined || address === undefined) return undefined
  const logger = host.logger.child('metrics')
  return serveMetrics({ endpoint, logger, ...address })
}

/** @param path as it was given */
async function startIpc(
  path: string | undefined,
  { node, host, directory }: ServerNode,
): Promise<IpcServer | undefined> {
  const endpoint = node.endpoints.get('ipc')
  if (endpoint === undefined || path === undefined) return undefined
  const { serveIpc, socketPath } = await import('./http/ipcServer.ts')
  return serveIpc({ endpoint, path: socketPath(path, directory), logger: host.logger.child('ipc') })
}

/** Closes the servers that have started when the next one cannot start. */
async function orClose<T>(servers: readonly (Pick<HttpServer, 'close'> | undefined)[], next: T): Promise<Awaited<T>> {
  try {
    return await next
  } catch (error) {
    await Promise.all(servers.map((server) => server?.close()))
    throw error
  }
}

function registerConnections(
  { host: { metrics } }: ServerNode,
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

function startPush(settings: MetricsPushSettings | undefined, { host }: ServerNode): MetricsPush | undefined {
  const { metrics, logger, timers } = host
  if (metrics === undefined || settings === undefined) return undefined
  return new MetricsPush({ metrics, timers, logger: logger.child('metrics'), ...settings })
}

function addressOf({ host, port }: HttpServer): ServiceAddress {
  return { host, port }
}
