/**
 * The servers of JSON-RPC and GraphQL for clients of the network: HTTP, WebSockets and TLS.
 * @module
 */
import type { Logger } from '../../src/base/ports/host.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { urlOf } from '../../src/base/primitives/hostPort.ts'
import { GRAPHQL_PATH } from '../../src/http/graphqlRoutes.ts'
import type { HttpServer } from '../../src/http/server.ts'
import type { OpenedEndpoints } from '../../src/node/endpoints.ts'
import { serveHttp } from './http/httpServer.ts'
import type { ConnectionSource } from './http/listening.ts'
import type { TlsSettings } from './http/tls.ts'
import { WebSocketConnections } from './http/webSocketConnections.ts'
import { serveWebSocket } from './http/webSocketServer.ts'
import type { ConnectionSettings, ListenSettings, ServiceSettings, TlsFiles, WebSocketSettings } from './settings.ts'

export interface ClientServers {
  readonly http: HttpServer | undefined
  /** A separate port, or the HTTP port, which also serves WebSockets. */
  readonly webSocket: HttpServer | undefined
  readonly graphql: HttpServer | undefined
  /** Number of open WebSockets. */
  webSocketCount(): number
  /** Lets requests in progress finish within a time limit. */
  close(): Promise<void>
}

export type ClientServerName = 'http' | 'webSocket' | 'graphql'

/** Connections that another process, or another part of this one, has accepted, in place of ports. */
export type ConnectionSources = (name: ClientServerName) => ConnectionSource

/** The node whose endpoints are served. */
export interface ServedNode {
  readonly node: Pick<OpenedEndpoints, 'endpoints' | 'outbound' | 'security'>
  readonly logger: Logger
}

/**
 * @param sources default: the servers listen
 * @throws {NodeError} PORT_IN_USE, LISTEN_FAILED
 */
export async function startClientServers(
  settings: Pick<ServiceSettings, 'http' | 'webSocket' | 'graphql' | 'connections' | 'tls'>,
  served: ServedNode,
  sources?: ConnectionSources,
): Promise<ClientServers> {
  const webSockets = settings.webSocket && acceptWebSockets(settings.webSocket, served)
  const tls = settings.tls && (await openTls(settings.tls, served))
  const httpOptions = { ...settings.connections, tls }
  const sourceOf = (name: ClientServerName) => (sources === undefined ? {} : { source: sources(name) })
  const http =
    settings.http && (await startHttp({ ...settings.http, ...httpOptions, webSockets, ...sourceOf('http') }, served))
  const webSocketServer =
    webSockets && (await startWebSocket(settings.webSocket, served, { webSockets, http, ...sourceOf('webSocket') }))
  const webSocket = webSockets === undefined ? undefined : (webSocketServer ?? http)
  const graphql = await orClose(
    [http, webSocketServer],
    settings.graphql && startGraphql({ ...settings.graphql, ...httpOptions, ...sourceOf('graphql') }, served),
  )
  return {
    http,
    webSocket,
    graphql,
    webSocketCount: () => webSockets?.count ?? 0,
    close: async () => {
      await Promise.all([http, webSocketServer, graphql].map((server) => server?.close()))
    },
  }
}

async function openTls(files: TlsFiles, { node }: ServedNode): Promise<TlsSettings> {
  const tls = (await import('./http/tls.ts')).openTls(files)
  return { ...tls, onRefused: (client, reason) => node.security.report({ kind: 'certificate', client, reason }) }
}

function acceptWebSockets(
  { maxConnections, maxFrameBytes }: WebSocketSettings,
  { node, logger }: ServedNode,
): WebSocketConnections {
  const { policy, open } = node.endpoints.get('webSocket')
  return new WebSocketConnections({
    policy,
    open,
    logger: logger.child('ws'),
    maxConnections,
    maxFrameBytes,
  })
}

interface Sourced {
  /** Default: the server listens. */
  readonly source?: ConnectionSource
}

interface HttpSettings extends ListenSettings, ConnectionSettings, Sourced {
  readonly tls: TlsSettings | undefined
}

function startHttp(
  { webSockets, ...settings }: HttpSettings & { readonly webSockets: WebSocketConnections | undefined },
  { node: { endpoints, outbound } }: ServedNode,
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

function startGraphql(settings: HttpSettings, { node: { endpoints, outbound } }: ServedNode): Promise<HttpServer> {
  const { policy, exchange, fetch } = endpoints.get('graphql')
  return serveHttp({ policy, exchange, fetch, isExchanged: isGraphql, outbound, ...settings })
}

interface WebSocketParts extends Sourced {
  readonly webSockets: WebSocketConnections
  readonly http: HttpServer | undefined
}

/** @returns undefined when only the HTTP port serves WebSockets */
async function startWebSocket(
  settings: WebSocketSettings | undefined,
  { node, logger }: ServedNode,
  { webSockets, http, source }: WebSocketParts,
): Promise<HttpServer | undefined> {
  if (settings?.separate === undefined) return undefined
  const { separate, isPortOptional } = settings
  try {
    const { policy, login: route } = node.endpoints.get('webSocket')
    const login = route && { policy, route }
    return await serveWebSocket({ webSockets, login, ...separate, ...(source === undefined ? {} : { source }) })
  } catch (error) {
    if (http !== undefined && isPortOptional && isNodeError(error, 'PORT_IN_USE')) {
      logger.warn(`port ${separate.port} for WebSockets is in use; they are served only on ${urlOf('ws', http)}`)
      return undefined
    }
    await http?.close()
    throw error
  }
}

/** Closes the servers that have started when the next one cannot start. */
export async function orClose<T>(
  servers: readonly ({ close(): Promise<void> } | undefined)[],
  next: T,
): Promise<Awaited<T>> {
  try {
    return await next
  } catch (error) {
    await Promise.all(servers.map((server) => server?.close()))
    throw error
  }
}
