/**
 * The servers of a node that runs as a program.
 * @module
 */

import type { ServiceAddress } from '../../src/api/nodeInfo.ts'
import type { HttpServer } from '../../src/http/server.ts'
import { type ClientServers, orClose, startClientServers } from './clientServers.ts'
import type { IpcServer } from './http/ipcServer.ts'
import { MetricsPush } from './http/metricsPush.ts'
import { serveMetrics } from './http/metricsServer.ts'
import type { ServedNode } from './serverNode.ts'
import {
  type ListenSettings,
  type MetricsPushSettings,
  type ServiceOptions,
  type ServiceSettings,
  serviceSettings,
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
export async function startServices(line: ServiceOptions, serverNode: ServedNode): Promise<Services> {
  const settings = serviceSettings(line)
  const { node, host } = serverNode
  await node.goOnline()
  const clients = await openClientServers(line, settings, serverNode)
  const { http, webSocket, graphql } = clients
  const metrics = await orClose([clients], startMetrics(settings.metrics, serverNode))
  const ipc = await orClose([clients, metrics], startIpc(settings.ipc, serverNode))
  const servers = [clients, metrics, ipc]
  if (http !== undefined) node.announce('jsonrpc', addressOf(http))
  if (webSocket !== undefined) node.announce('ws', addressOf(webSocket))
  if (metrics !== undefined) node.announce('metrics', addressOf(metrics))
  registerConnections(serverNode, clients)
  const push = startPush(settings.metricsPush, serverNode)
  const close = async (): Promise<void> => {
    // Waits for requests in progress, except for traces, which can take minutes.
    await Promise.all([...servers.map((server) => server?.close()), push?.close(), host.workers?.close()])
  }
  return { http, webSocket, graphql, metrics, ipc, close }
}

/** @param started servers to close when the port cannot be opened */
async function startMetrics(
  address: ListenSettings | undefined,
  { node, host }: ServedNode,
): Promise<HttpServer | undefined> {
  const endpoint = node.endpoints.get('metrics')
  if (endpoint === undefined || address === undefined) return undefined
  const logger = host.logger.child('metrics')
  return serveMetrics({ endpoint, logger, ...address })
}

/** @param path as it was given */
async function startIpc(
  path: string | undefined,
  { node, host, directory }: ServedNode,
): Promise<IpcServer | undefined> {
  const endpoint = node.endpoints.get('ipc')
  if (endpoint === undefined || path === undefined) return undefined
  const { serveIpc, socketPath } = await import('./http/ipcServer.ts')
  return serveIpc({ endpoint, path: socketPath(path, directory), logger: host.logger.child('ipc') })
}

/** The servers of this process, or processes with `--rpc-http-workers`. */
async function openClientServers(
  line: ServiceOptions,
  settings: ServiceSettings,
  serverNode: ServedNode,
): Promise<ClientServers> {
  if (serverNode.httpWorkers === undefined) {
    const { host, node } = serverNode
    return startClientServers(settings, { node, logger: host.logger })
  }
  const { startHttpWorkers } = await import('./httpWorkers/httpWorkers.ts')
  return startHttpWorkers(line, settings, { ...serverNode, httpWorkers: serverNode.httpWorkers })
}

function registerConnections(
  { host: { metrics } }: ServedNode,
  { http, webSocketCount: openWebSockets }: ClientServers,
): void {
  if (metrics === undefined) return
  const gauge = (name: string, help: string) => metrics.gauge({ category: 'RPC', name, help })
  const httpCount = gauge('active_http_connection_count', 'Open connections to the HTTP port.')
  const webSocketCount = gauge('active_ws_connection_count', 'Open WebSockets.')
  metrics.onRead(() => {
    httpCount.set(http?.connectionCount ?? 0)
    webSocketCount.set(openWebSockets())
  })
}

function startPush(settings: MetricsPushSettings | undefined, { host }: ServedNode): MetricsPush | undefined {
  const { metrics, logger, timers } = host
  if (metrics === undefined || settings === undefined) return undefined
  return new MetricsPush({ metrics, timers, logger: logger.child('metrics'), ...settings })
}

function addressOf({ host, port }: HttpServer): ServiceAddress {
  return { host, port }
}
