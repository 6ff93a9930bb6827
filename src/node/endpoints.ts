/**
 * The endpoints of a node: each has its own policy and API groups.
 * @module
 */

import type { NodeInfo } from '../api/nodeInfo.ts'
import type { MetricsRegistry } from '../base/ports/metrics.ts'
import type { PackedAssets, WebAssets } from '../base/ports/webAssets.ts'
import type { Request, Response } from '../base/ports/webTypes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { chainIdAfter } from '../chain/nextBlock.ts'
import { API_GROUPS, type ApiGroup } from '../config/apiGroups.ts'
import type { GraphqlAnswers } from '../graphql/contract.ts'
import type { GraphqlServiceOptions } from '../graphql/graphqlService.ts'
import type { LoginService } from '../http/access/contract.ts'
import { createHttpApp } from '../http/app.ts'
import { explorerRoutes } from '../http/explorerRoutes.ts'
import { createGraphqlFetch } from '../http/graphqlApp.ts'
import { GraphqlExchange } from '../http/graphqlExchange.ts'
import { graphqlRoutes } from '../http/graphqlRoutes.ts'
import { type LoginRoute, loginRoute } from '../http/loginRoute.ts'
import { answerMetrics } from '../http/metricsExchange.ts'
import { type Answer, HttpPolicy, type HttpPolicyOptions, type RequestFacts } from '../http/policy.ts'
import type { Health } from '../http/readiness.ts'
import type { RequestConnection } from '../http/requestConnection.ts'
import { type HttpExchange, RpcExchange } from '../http/rpcExchange.ts'
import { RpcSession, type RpcSessionOptions } from '../http/rpcSession.ts'
import type { SocketPort } from '../http/socketPort.ts'
import { type SourcifyOptions, sourcifyRoutes } from '../http/sourcifyRoutes.ts'
import { OutboundBudget } from '../rpc/connection/outboundBudget.ts'
import { Envelope } from '../rpc/envelope.ts'
import type { HostAccess } from './host.ts'
import { localAnswers } from './httpWorkers/localAnswers.ts'
import type { LinkAnswers } from './httpWorkers/processLink.ts'
import { healthOf } from './nodeInfo.ts'
import { RefusalLog } from './refusalLog.ts'
import type { EnvelopeServices, RpcInterface, RpcInterfaceDeps } from './rpcInterface.ts'
import type { SecurityLog } from './securityLog.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { VERSION } from './version.ts'
import { welcomeText } from './welcome.ts'

interface EndpointBase {
  readonly groups: ReadonlySet<ApiGroup>
  /** Allowed hosts and origins. */
  readonly policy: HttpPolicy
}

/** JSON-RPC over HTTP. */
export interface HttpEndpoint extends EndpointBase {
  readonly name: 'http'
  /** For servers that do not use `fetch`, with identical decisions and answers. */
  readonly exchange: RpcExchange
  /** The HTTP interface for every runtime. */
  readonly fetch: (request: Request, connection?: RequestConnection) => Response | Promise<Response>
}

/** JSON-RPC over WebSocket. */
export interface WebSocketEndpoint extends EndpointBase {
  readonly name: 'webSocket'
  /** Serves a WebSocket that the host has accepted. @param authorization header of the upgrade */
  open(port: SocketPort, authorization: string | undefined): RpcSession
  /** Serves `POST /login` on a port of WebSockets; undefined: there is no login. */
  readonly login: LoginRoute | undefined
}

/** JSON-RPC over a socket of the host, which only its owner may use. */
export interface IpcEndpoint {
  readonly name: 'ipc'
  readonly groups: ReadonlySet<ApiGroup>
  /** Maximum size of a message. */
  readonly maxMessageBytes: number
  /** Serves a connection that the host has accepted. */
  open(port: SocketPort): RpcSession
}

/** GraphQL over HTTP. */
export interface GraphqlEndpoint {
  readonly name: 'graphql'
  /** Allowed hosts and origins. */
  readonly policy: HttpPolicy
  /** For servers that do not use `fetch`, with identical decisions and answers. */
  readonly exchange: HttpExchange
  readonly fetch: (request: Request, connection?: RequestConnection) => Promise<Response>
}

/** Metrics for Prometheus, over HTTP. */
export interface MetricsEndpoint {
  readonly name: 'metrics'
  /** Allowed hosts. */
  readonly policy: HttpPolicy
  /** @param query of the URL, without the question mark */
  answer(facts: RequestFacts, query: string): Answer
}

export type Endpoint = HttpEndpoint | WebSocketEndpoint | IpcEndpoint | GraphqlEndpoint | MetricsEndpoint
export type EndpointName = Endpoint['name']

export interface Endpoints extends ReadonlyMap<EndpointName, Endpoint> {
  get(name: 'http'): HttpEndpoint
  get(name: 'webSocket'): WebSocketEndpoint
  /** undefined unless the settings ask for it */
  get(name: 'ipc'): IpcEndpoint | undefined
  get(name: 'graphql'): GraphqlEndpoint
  /** undefined without metrics */
  get(name: 'metrics'): MetricsEndpoint | undefined
}

export interface EndpointDeps extends Omit<RpcInterfaceDeps, 'methods' | 'onHead' | 'workers'> {
  readonly info: NodeInfo
  readonly access?: HostAccess | undefined
  readonly servesTls?: boolean
  /** Of a backend that is replaced as a whole: what one GraphQL operation uses. */
  readonly pinGraphql?: GraphqlServiceOptions['pin']
  /** Files of the GraphiQL page. */
  readonly graphiql?: WebAssets | undefined
  /** Files of the explorer. */
  readonly explorer?: PackedAssets | undefined
  /** The state that readiness depends on. Default: that of this process */
  readonly health?: Health | undefined
  /** Forwards requests that the own service of GraphQL cannot answer. Default: it answers all */
  readonly overGraphql?: ((own: GraphqlAnswers) => GraphqlAnswers) | undefined
}

export interface OpenedEndpoints {
  readonly endpoints: Endpoints
  readonly security: SecurityLog
  /** Bounds unsent bytes over all connections of all endpoints. */
  readonly outbound: OutboundBudget
  /** The state that readiness depends on. */
  readonly health: Health
  /** Answers to requests that another process of the node forwards. */
  readonly answers: LinkAnswers
  /** `fetch` of the HTTP endpoint. */
  readonly fetch: HttpEndpoint['fetch']
}

/**
 * @throws {NodeError} INVALID_OPTION when an origin is not a regular expression, when a method without token is unknown, or
 *   when the host lacks the access control or the TLS that the settings demand
 */
export function createEndpoints(deps: EndpointDeps, rpc: RpcInterface): OpenedEndpoints {
  const { backend, settings, clock, timers, logger, health = healthOf(deps.info) } = deps
  const { registry, envelopes, security } = rpc
  checkProtection(deps)
  checkOpenMethods(settings, registry)
  const outbound = new OutboundBudget({
    clock,
    timers,
    yieldToHost: backend.yieldToHost,
    maxBytes: settings.memory.outbound,
    onEnded: (count) => logger.child('http').warn('terminated connections that did not read', { count }),
  })
  warnAboutEmptyGroups(deps, registry)
  const sharedPolicy = policyOptions(deps)
  const http = httpEndpoint({ ...deps, health }, registry, envelopes, sharedPolicy, security)
  const webSocket = webSocketEndpoint(deps, registry, envelopes, sharedPolicy, { outbound, security })
  const endpoints = new Map<EndpointName, Endpoint>([
    ['http', http],
    ['webSocket', webSocket],
    ['graphql', graphqlEndpoint(deps, envelopes)],
  ])
  const { ipcGroups } = settings
  if (ipcGroups !== undefined) endpoints.set('ipc', ipcEndpoint(deps, ipcGroups, rpc, outbound))
  const { metrics } = deps
  if (metrics !== undefined) endpoints.set('metrics', metricsEndpoint(metrics, sharedPolicy))
  const answers = localAnswers(rpc, deps.access, () => loadGraphql(deps))
  return { endpoints: endpoints as unknown as Endpoints, security, outbound, health, answers, fetch: http.fetch }
}

/** No option that protects an endpoint is ignored. */
function checkProtection({ settings, access, servesTls }: EndpointDeps): void {
  if (settings.authenticated.some((name) => access?.[name] === undefined)) {
    throw new NodeError({ code: 'INVALID_OPTION' }, 'authentication is not supported on this host')
  }
  if (settings.isSecure && servesTls !== true) {
    throw new NodeError({ code: 'INVALID_OPTION' }, 'TLS is not supported on this host')
  }
}

function checkOpenMethods({ openMethods }: NodeSettings, registry: RpcInterface['registry']): void {
  for (const [option, names] of openMethods) {
    const unknown = names.filter((name) => !registry.isKnown(name))
    if (unknown.length === 0) continue
    const message = `Invalid value for option '--${option}', options must be valid RPC methods: got ${unknown.join(', ')}`
    throw new NodeError({ code: 'INVALID_OPTION' }, message)
  }
}

/** Names the groups that were asked for but have no method on this chain. */
function warnAboutEmptyGroups({ settings, logger }: EndpointDeps, registry: RpcInterface['registry']): void {
  for (const groups of [settings.groups, settings.webSocketGroups, settings.ipcGroups ?? []]) {
    if (groups === API_GROUPS) continue
    const empty = groups.filter((group) => !registry.hasMethods(group))
    if (empty.length > 0) logger.warn('API groups without a method on this chain', { groups: empty.join(',') })
  }
}

/** WebSockets have no option for origins: those of HTTP apply. Besu's profile has its exact answers. */
function policyOptions({ backend, settings, logger }: EndpointDeps): HttpPolicyOptions {
  const { hasExplorer } = settings
  const welcome = (url: string): string =>
    welcomeText({ version: VERSION, chainId: chainIdOf(backend), url, hasExplorer })
  return {
    hosts: settings.hosts,
    areHostsRouted: settings.areHostsRouted,
    corsOrigins: settings.corsOrigins,
    originsOption: 'rpc-http-cors-origins',
    onRefused: new RefusalLog(logger.child('http')).log,
    isSecure: settings.isSecure,
    hasPage: hasExplorer,
    ...(settings.rpc.profile === 'besu' ? {} : { texts: { welcome } }),
  }
}

function httpEndpoint(
  { backend, settings, timers, logger, access, explorer, health }: EndpointDeps & { readonly health: Health },
  registry: RpcInterface['registry'],
  envelopes: EnvelopeServices,
  sharedPolicy: HttpPolicyOptions,
  security: SecurityLog,
): HttpEndpoint {
  const { maxBodyBytes, maxBatchItems, processingTimeoutMs } = settings
  const methods = registry.serve(settings.groups)
  const envelope = new Envelope({ ...envelopes, served: methods, maxBatchItems })
  const { authenticate, tokenRequired = false, login } = access?.http ?? {}
  const policy = new HttpPolicy({
    ...sharedPolicy,
    maxBodyBytes,
    tokenRequired,
    onTokenMissing: (peer) => envelopes.onUnauthorized(undefined, { peer, claims: undefined }),
    acceptsTokens: authenticate !== undefined,
  })
  const exchange = new RpcExchange({
    envelope,
    logger: logger.child('http'),
    timers,
    authenticate,
    timeoutMs: processingTimeoutMs,
  })
  const page = settings.hasExplorer ? explorerRoutes({ assets: explorer, isSecure: settings.isSecure }) : undefined
  const hasSources = authenticate === undefined && methods.groups.has('ISONODE')
  const routes = hasSources ? sourcifyRoutes(sourcifyOf(backend), page) : page
  const app = createHttpApp({
    policy,
    exchange,
    health,
    timers,
    login: login && loginOf(login, security),
    ...(routes === undefined ? {} : { routes }),
  })
  const fetch: HttpEndpoint['fetch'] = (request, connection) => app.fetch(request, { connection })
  return { name: 'http', groups: methods.groups, policy, exchange, fetch }
}

function chainIdOf({ chain }: EndpointDeps['backend']): bigint {
  return chainIdAfter(chain.config, chain.head)
}

/** Sources of the contracts that the node knows. */
function sourcifyOf(backend: EndpointDeps['backend']): SourcifyOptions {
  return {
    chainId: () => chainIdOf(backend),
    files: async (address) => (await import('../api/contracts/contractFiles.ts')).contractFiles(backend, address),
  }
}

/**
 * GraphQL is loaded for its first request, because that takes longer than the start of the node may. Its callers need the
 * tokens of JSON-RPC over HTTP; without these, those of WebSockets.
 */
function graphqlEndpoint(deps: EndpointDeps, { onUnauthorized }: EnvelopeServices): GraphqlEndpoint {
  const { settings, clock, timers, graphiql, observer, onRequest, metrics, access } = deps
  const { authenticate, tokenRequired } = access?.http ?? access?.webSocket ?? {}
  const logger = deps.logger.child('graphql')
  const policy = new HttpPolicy({
    hosts: settings.hosts,
    corsOrigins: settings.graphqlCorsOrigins,
    originsOption: 'graphql-http-cors-origins',
    onRefused: new RefusalLog(logger).log,
    maxBodyBytes: settings.maxBodyBytes,
    route: graphqlRoutes(settings.isDev, tokenRequired),
    acceptsTokens: authenticate !== undefined,
  })
  const load = async (): Promise<GraphqlAnswers> => {
    const own = await loadGraphql(deps)
    return deps.overGraphql?.(own) ?? own
  }
  const exchange = new GraphqlExchange({
    load,
    logger,
    timers,
    authenticate,
    observer,
    onRequest,
    onUnauthorized,
    metrics,
    clock,
    timeoutMs: settings.processingTimeoutMs,
  })
  return { name: 'graphql', policy, exchange, fetch: createGraphqlFetch({ policy, exchange, assets: graphiql }) }
}

async function loadGraphql({ backend, clock, logger, residency, pinGraphql }: EndpointDeps): Promise<GraphqlAnswers> {
  const { GraphqlService } = await import('../graphql/graphqlService.ts')
  return new GraphqlService({ backend, clock, logger: logger.child('graphql'), residency, pin: pinGraphql })
}

/** Browsers have no access: no origin is allowed. */
function metricsEndpoint(metrics: MetricsRegistry, { hosts, onRefused }: HttpPolicyOptions): MetricsEndpoint {
  const policy = new HttpPolicy({ ...(hosts && { hosts }), ...(onRefused && { onRefused }) })
  return { name: 'metrics', policy, answer: (facts, query) => answerMetrics(policy, metrics, facts, query) }
}

function webSocketEndpoint(
  { settings, clock, timers, logger, access }: EndpointDeps,
  registry: RpcInterface['registry'],
  envelopes: EnvelopeServices,
  sharedPolicy: HttpPolicyOptions,
  { outbound, security }: Pick<OpenedEndpoints, 'outbound' | 'security'>,
): WebSocketEndpoint {
  const methods = registry.serve(settings.webSocketGroups, true)
  const { authenticate, login } = access?.webSocket ?? {}
  const sessions: RpcSessionOptions = {
    transport: 'WebSocket',
    envelope: new Envelope({ ...envelopes, served: methods, transport: 'websocket' }),
    logger: logger.child('ws'),
    clock,
    timers,
    outbound,
    timeoutMs: settings.webSocketTimeoutMs,
    authenticate,
    maxRequestsPerSecond: settings.maxRequestsPerSecond,
  }
  return {
    name: 'webSocket',
    groups: methods.groups,
    policy: new HttpPolicy({ ...sharedPolicy, acceptsTokens: authenticate !== undefined }),
    open: (port, authorization) => new RpcSession(sessions, port, authorization),
    login: login && loginOf(login, security),
  }
}

/** It takes no tokens: the rules of the options exclude it together with authentication. */
function ipcEndpoint(
  { settings, clock, timers, logger }: EndpointDeps,
  groups: Iterable<ApiGroup>,
  { registry, envelopes }: RpcInterface,
  outbound: OutboundBudget,
): IpcEndpoint {
  const served = registry.serve(groups, true)
  const { maxBatchItems, maxBodyBytes, processingTimeoutMs, maxRequestsPerSecond } = settings
  const sessions: RpcSessionOptions = {
    transport: 'IPC',
    envelope: new Envelope({ ...envelopes, served, maxBatchItems, transport: 'ipc' }),
    logger: logger.child('ipc'),
    clock,
    timers,
    outbound,
    timeoutMs: processingTimeoutMs,
    maxRequestsPerSecond,
  }
  return {
    name: 'ipc',
    groups: served.groups,
    maxMessageBytes: maxBodyBytes,
    open: (port) => new RpcSession(sessions, port, undefined),
  }
}

function loginOf(login: LoginService, { report }: SecurityLog): LoginRoute {
  return loginRoute(login, (refusal) => report({ kind: 'login', ...refusal }))
}
