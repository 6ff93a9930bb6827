/**
 * The composition root: builds a node from the host's services and the parts that the host names. Only this folder
 * names concrete classes.
 * @module
 */
import type { ServiceAddress, ServiceName } from '../api/nodeInfo.ts'
import type { Chain } from '../chain/chain.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import { DEV_ACCOUNTS } from '../config/devAccounts.ts'
import type { StateStore } from '../state/stateStore.ts'
import { openActivity } from './activity.ts'
import { createBackend } from './backend.ts'
import { openBlockProduction } from './blockProduction.ts'
import type { EndpointDeps, HttpEndpoint } from './endpoints.ts'
import type { NodeGenesis, NodeHost } from './host.ts'
import { IndexBuild } from './indexBuild.ts'
import { type Lifecycle, type LifecycleState, Lifecycles } from './lifecycle.ts'
import type { LogBloomFiles } from './logBloomCache.ts'
import type { metricsParts } from './metricsParts.ts'
import { loadNetwork } from './network/loadNetwork.ts'
import { openMaintainedPeers } from './network/openMaintainedPeers.ts'
import { clientVersion, createNodeInfo } from './nodeInfo.ts'
import { openChain } from './openChain.ts'
import type { PluginHost } from './plugins/pluginHost.ts'
import type { PluginServiceDeps } from './plugins/pluginLifecycle.ts'
import { ReorgLog } from './reorgLog.ts'
import { type NodeMethods, openRpcInterface, type RpcInterface } from './rpcInterface.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { openSigners } from './signers.ts'
import { type StateDumps, stateDumps } from './stateDumps.ts'
import { statePruning } from './statePruning.ts'
import { stateSource } from './stateSource.ts'
import { openStratum } from './stratum.ts'
import type { OpenTracing } from './tracingPart.ts'

type MetricsInput = Parameters<typeof metricsParts> extends [unknown, unknown, ...infer Rest] ? Rest : never

/** How programs outside the process reach the node. */
export interface Interfaces {
  /** HTTP for every runtime. */
  readonly fetch: HttpEndpoint['fetch']
}

/** The parts of a node that its host names, because they are large and not every host needs them from the start. */
export interface NodeParts<Opened extends Interfaces> {
  /** @returns without the methods of plugins */
  methods(settings: Pick<NodeSettings, 'isDev'>): NodeMethods
  readonly openTracing: OpenTracing
  /** @throws {NodeError} INVALID_OPTION */
  openInterfaces(deps: EndpointDeps, rpc: RpcInterface): Opened
}

export interface ComposedNode extends Interfaces, Pick<RpcInterface, 'openProvider'> {
  readonly chain: Chain
  readonly states: StateStore
  /** Value of --evm. */
  readonly evm: NodeSettings['evm']
  readonly consensus: ConsensusSchedule
  /** Whether the node produces blocks or receives them from peers; otherwise, only imports extend the chain. */
  readonly isExtended: boolean
  /** `built` until {@link composeNode} has started all parts. */
  readonly state: LifecycleState
  /** Reports the address of a listening service, for net_services. */
  announce(service: ServiceName, address: ServiceAddress): void
  /**
   * Starts the Stratum server, the network and the block production that the chain or options ask for.
   * @throws {NodeError} LISTEN_FAILED
   */
  goOnline(): Promise<void>
  /** Prints the entries of the dev chain's log that are still in memory. */
  flushActivity(): void
  /** Dumps of the whole dev chain. */
  readonly stateDumps: StateDumps
  /** Waits for the change in progress and refuses further ones. The store remains open. */
  close(): Promise<void>
}

/**
 * Builds a node and starts it.
 * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain
 */
export async function composeNode<Opened extends Interfaces>(
  host: NodeHost,
  genesis: NodeGenesis,
  settings: NodeSettings,
  parts: NodeParts<Opened>,
): Promise<ComposedNode & Opened> {
  const { logger, residency, timers } = host
  const services = await openChain(host, genesis, settings)
  const { chain, devWriter, states, consensus, execution } = services
  const permissions = services.permissions?.follow(chain, stateSource(states))
  const activity = await openActivity(host, services, settings)
  const networkCode = await loadNetwork(host, settings)
  const bft = host.bftNetwork === undefined ? networkCode?.createBftWire() : undefined
  const production = await openBlockProduction({
    ...host,
    bftNetwork: host.bftNetwork ?? bft,
    residency: permissions?.pool?.residency ?? residency,
    permits: permissions?.pool?.permits,
    chain,
    devWriter,
    states: stateSource(states),
    execution,
    settings,
    onSealed: activity && ((block) => activity.log.sealed(block)),
    onDerived: activity && ((blocks) => activity.log.derived(blocks)),
    accounts: genesis.accounts ?? DEV_ACCOUNTS,
    resetTime: genesis.beginsNow === true ? 'now' : 'genesis',
  })
  const stratum = await openStratum(host, production, settings)
  const version = clientVersion(host, settings)
  const core = { host, chain: services, production, settings }
  const network = networkCode?.open({ ...core, bft, clientVersion: version, permissions })
  // The dev chain logs its blocks itself, and they are not due at any time.
  const watchCode = settings.isDev ? undefined : await import('./chainWatch.ts')
  const watch = watchCode?.openWatch(host, services, production, network)
  const info = createNodeInfo(host, chain.config, settings, { isExtending: production.isExtending, network, watch })
  const heads = watchCode?.openHeadLog(host, services, production, info)
  const logBlooms = await bloomFiles(host, chain, settings)
  const plugins = await openPlugins(host)
  const privacy =
    services.privacy &&
    (await import('./privacy.ts')).openPrivacy(host, services.privacy, services, production, settings)
  const { peers, namedPeers } = await openMaintainedPeers(host, network)
  const signers = await openSigners(host, services, production)
  const { openTracing } = parts
  const fork = host.fork?.follow(production.dev)
  const backendParts = { info, logBlooms, plugins: plugins?.host, network, privacy, peers, signers, fork, openTracing }
  const interfaceDeps = {
    ...host,
    residency: production.pending?.residency ?? residency,
    backend: createBackend({ ...core, ...backendParts }),
    info,
    settings,
    observer: activity?.log,
    onHead: (listener: () => void) => chain.events.on('head', listener),
  }
  const { definitions, deferred = [] } = parts.methods(settings)
  const methods = { definitions: [...definitions, ...(plugins?.host.methods ?? [])], deferred }
  const rpc = openRpcInterface({ ...interfaceDeps, methods })
  const interfaces = parts.openInterfaces(interfaceDeps, rpc)
  const { openProvider } = rpc
  const lifecycles = new Lifecycles(
    [
      { name: 'chain', stop: () => chain.close() },
      activity,
      activity && new (await import('./waitLog.ts')).WaitLog(activity.log, production.pool, chain, stateSource(states)),
      new ReorgLog(chain, logger.child('chain'), settings),
      production,
      stratum,
      network,
      watch,
      heads,
      ...signers.watches,
      namedPeers,
      privacy?.lifecycle,
      new IndexBuild(host, chain),
      await statePruning(host, chain, settings),
      logBlooms,
      plugins?.lifecycle({ ...host, openProvider, chain, pool: production.pool }),
      ...(await metricsOf(host, services, production, info, settings)),
    ],
    { timers, logger },
  )
  await lifecycles.start()
  return {
    chain,
    states,
    evm: execution.evm.name,
    consensus,
    ...interfaces,
    openProvider,
    get isExtended() {
      return info.isExtended
    },
    get state() {
      return lifecycles.state
    },
    announce: info.announce,
    goOnline: async () => {
      await stratum?.listen()
      await network?.open()
      await production.produce()
      if (info.isExtended) watch?.open()
      heads?.open()
    },
    flushActivity: () => activity?.log.flush(),
    stateDumps: stateDumps(host, services, production),
    close: () => lifecycles.stop(),
  }
}

/** @returns undefined on a host without files */
async function bloomFiles(host: NodeHost, chain: Chain, settings: NodeSettings): Promise<LogBloomFiles | undefined> {
  const { bloomFiles: files, logger } = host
  if (files === undefined) return undefined
  const { LogBloomFiles } = await import('./logBloomCache.ts')
  return new LogBloomFiles({
    ...host,
    files,
    chain,
    logger: logger.child('blooms'),
    isAutomatic: settings.keepsLogBlooms,
  })
}

interface Plugins {
  readonly host: PluginHost
  lifecycle(deps: PluginServiceDeps): Lifecycle
}

/** @returns undefined without plugins */
async function openPlugins({ plugins, timers, logger }: NodeHost): Promise<Plugins | undefined> {
  if (plugins === undefined) return undefined
  const [{ PluginHost }, { pluginLifecycle }] = await Promise.all([
    import('./plugins/pluginHost.ts'),
    import('./plugins/pluginLifecycle.ts'),
  ])
  const host = new PluginHost({ plugins, timers, logger: logger.child('plugins') })
  return { host, lifecycle: (deps) => pluginLifecycle(host, deps) }
}

async function metricsOf(host: NodeHost, ...parts: MetricsInput): Promise<readonly Lifecycle[]> {
  if (host.metrics === undefined) return []
  return (await import('./metricsParts.ts')).metricsParts(host.metrics, host, ...parts)
}
