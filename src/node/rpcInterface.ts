/**
 * JSON-RPC of a node: its methods, what every request needs, and connections within the process.
 * @module
 */
import type { Clock, Logger } from '../base/ports/host.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { MetricsRegistry } from '../base/ports/metrics.ts'
import type { RequestWorkers } from '../base/ports/requestWorkers.ts'
import type { Timers } from '../base/ports/timers.ts'
import { API_GROUPS, type ApiGroup } from '../config/apiGroups.ts'
import { withAdvice } from '../config/optionAdvice.ts'
import { UNKNOWN_CLIENT } from '../http/requestConnection.ts'
import type { RpcBackend } from '../rpc/backend.ts'
import { Envelope, type EnvelopeOptions, type PinServices } from '../rpc/envelope.ts'
import { TraceResults } from '../rpc/heavyMethods.ts'
import type { JsonSchema, MethodDefinition } from '../rpc/method.ts'
import type { DiscoverBackend } from '../rpc/methods/rpc/index.ts'
import type { Forwarder, OnUnauthorized } from '../rpc/pendingRequest.ts'
import { Provider, type ProviderOptions } from '../rpc/provider.ts'
import { type DeferredMethods, MethodRegistry } from '../rpc/registry.ts'
import type { RpcObserver } from '../rpc/rpcObserver.ts'
import { withSubjects } from './requestSubject.ts'
import { SecurityLog } from './securityLog.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { VERSION } from './version.ts'

export type NodeBackend = RpcBackend & DiscoverBackend

/** The methods of a node. */
export interface NodeMethods {
  readonly definitions: readonly MethodDefinition<NodeBackend>[]
  /** Default: none. */
  readonly deferred?: readonly DeferredMethods<NodeBackend>[]
}

export interface RpcInterfaceDeps {
  readonly backend: RpcBackend
  readonly methods: NodeMethods
  readonly settings: NodeSettings
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
  readonly residency?: Residency | undefined
  readonly workers?: RequestWorkers | undefined
  readonly observer?: RpcObserver | undefined
  /** Called before each request or batch is read. */
  readonly onRequest?: (() => void) | undefined
  /** Of a backend that is replaced as a whole: what one request or batch uses. */
  readonly pin?: PinServices<NodeBackend> | undefined
  readonly metrics?: MetricsRegistry | undefined
  /** Default: this process answers all requests. */
  readonly forwarder?: Forwarder | undefined
  /** Calls a listener after each change of the head. */
  readonly onHead?: ProviderOptions['onHead']
}

export interface RpcInterface {
  readonly registry: MethodRegistry<NodeBackend>
  /** The options that all envelopes share. */
  readonly envelopes: EnvelopeServices
  readonly security: SecurityLog
  /** Opens an in-process connection. Every method is allowed, because only the host program can use it. */
  openProvider(options?: Pick<ProviderOptions, 'onPending'>): Provider
}

export interface EnvelopeServices extends Omit<EnvelopeOptions<NodeBackend>, 'served' | 'onUnauthorized'> {
  readonly onUnauthorized: (method: string | undefined, caller: Parameters<OnUnauthorized>[1]) => void
}

export function openRpcInterface(deps: RpcInterfaceDeps): RpcInterface {
  const { definitions, deferred } = deps.methods
  const registry = new MethodRegistry<NodeBackend>(definitions, absentEngines(deps.backend), deferred)
  const security = new SecurityLog(deps.logger.child('security'), deps.clock)
  const envelopes = envelopeServices(deps, registry, security)
  return { registry, envelopes, security, openProvider: providers(deps, registry, envelopes) }
}

/** Groups with the methods of one kind of consensus engine. */
const ENGINE_GROUPS: Readonly<Record<string, ApiGroup>> = { clique: 'CLIQUE', ibft2: 'IBFT', qbft: 'QBFT' }

/** Methods of a consensus engine are not served on chains of other engines. */
function absentEngines({ chain }: RpcBackend): readonly ApiGroup[] {
  const kinds = new Set<string>(chain.config.consensus.entries.map(({ value }) => value.kind))
  return Object.entries(ENGINE_GROUPS).flatMap(([kind, group]) => (kinds.has(kind) ? [] : [group]))
}

function envelopeServices(
  {
    observer,
    onRequest,
    backend,
    settings,
    clock,
    logger,
    residency,
    workers,
    metrics,
    pin,
    forwarder,
  }: RpcInterfaceDeps,
  registry: MethodRegistry<NodeBackend>,
  { report }: SecurityLog,
): EnvelopeServices {
  const onUnauthorized: EnvelopeServices['onUnauthorized'] = (method, { peer, claims }) =>
    report({ kind: 'call', client: peer?.client ?? UNKNOWN_CLIENT, user: claims?.username, method })
  return {
    backend: describing(backend, registry),
    profile: settings.rpc.profile,
    advise: settings.isDev ? withAdvice : undefined,
    logger: logger.child('rpc'),
    clock,
    yieldToHost: backend.yieldToHost,
    metrics,
    workers: workers && withSubjects(workers, backend.chain),
    traces: new TraceResults(settings.memory.traceResults),
    observer,
    onRequest,
    onUnauthorized,
    pin,
    forwarder,
    ...(residency === undefined ? {} : { residency }),
  }
}

/** The backend with the description of its methods. */
function describing(backend: RpcBackend, registry: MethodRegistry<NodeBackend>): NodeBackend {
  const describe = (groups: ReadonlySet<ApiGroup>): JsonSchema =>
    registry.openRpc(groups, { title: 'isonode JSON-RPC', version: VERSION })
  const openRpc: DiscoverBackend['openRpc'] = (groups) =>
    registry.loadAll()?.then(() => describe(groups)) ?? describe(groups)
  return withOpenRpc(backend, openRpc)
}

/** Getters of the backend stay getters: they open parts on first use. */
export function withOpenRpc(backend: RpcBackend, openRpc: DiscoverBackend['openRpc']): NodeBackend {
  return Object.defineProperties({ openRpc }, Object.getOwnPropertyDescriptors(backend)) as NodeBackend
}

/** The envelope is built for the first provider: a program on the command line needs none. */
function providers(
  { backend: { yieldToHost }, settings, timers, onHead }: RpcInterfaceDeps,
  registry: MethodRegistry<NodeBackend>,
  envelopes: EnvelopeServices,
): RpcInterface['openProvider'] {
  let envelope: Envelope<NodeBackend> | undefined
  return (options) => {
    envelope ??= new Envelope({ ...envelopes, served: registry.serve(API_GROUPS, true), transport: 'local' })
    return new Provider({ ...options, envelope, timers, yieldToHost, timeoutMs: settings.processingTimeoutMs, onHead })
  }
}
