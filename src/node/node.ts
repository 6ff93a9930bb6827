/**
 * The composition root: builds a node from the host's services. Only this folder names concrete classes.
 * @module
 */
import { Filters } from '../api/feeds/filters.ts'
import { Subscriptions } from '../api/feeds/subscriptions.ts'
import type { ServiceAddress, ServiceName } from '../api/nodeInfo.ts'
import type { Chain } from '../chain/chain.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import { DEV_ACCOUNTS } from '../config/devAccounts.ts'
import { BftWire } from '../net/protocols/bftWire.ts'
import type { PrivacyAccess } from '../private/privacy/access.ts'
import { notificationTexts } from '../rpc/notificationTexts.ts'
import type { StateStore } from '../state/stateStore.ts'
import { openActivity } from './activity.ts'
import { createBackend } from './backend.ts'
import { type BlockProduction, openBlockProduction } from './blockProduction.ts'
import { type ChainParts, openChain } from './chainParts.ts'
import { createEndpoints, type Endpoints, type HttpEndpoint, type OpenedEndpoints } from './endpoints.ts'
import { EventLoopDelay } from './eventLoopDelay.ts'
import type { NodeGenesis, NodeHost } from './host.ts'
import { IndexBuild } from './indexBuild.ts'
import { type Lifecycle, type LifecycleState, Lifecycles } from './lifecycle.ts'
import { LogBloomFiles } from './logBloomCache.ts'
import { MaintainedPeers } from './network/maintainedPeers.ts'
import { NamedPeers } from './network/namedPeers.ts'
import { type NodeNetwork, openNetwork } from './network/nodeNetwork.ts'
import { clientVersion, createNodeInfo, type RunningInfo } from './nodeInfo.ts'
import { nodeMetrics } from './nodeMetrics.ts'
import { PluginHost } from './plugins/pluginHost.ts'
import { pluginLifecycle } from './plugins/pluginLifecycle.ts'
import { openPrivacy } from './privacy.ts'
import { registerProcessMetrics } from './processMetrics.ts'
import { ReorgLog } from './reorgLog.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { type StateDumps, stateDumps } from './stateDumps.ts'
import { stateSource } from './stateSource.ts'
import { openStratum } from './stratum.ts'

export type { NodeGenesis, NodeHost } from './host.ts'
export { VERSION } from './nodeInfo.ts'

export interface IsoNode extends OpenedEndpoints {
  readonly chain: Chain
  readonly states: StateStore
  /** Value of --evm. */
  readonly evm: NodeSettings['evm']
  readonly consensus: ConsensusSchedule
  readonly endpoints: Endpoints
  /** `fetch` of the HTTP endpoint. */
  readonly fetch: HttpEndpoint['fetch']
  /** Whether the node produces blocks or receives them from peers; otherwise, only imports extend the chain. */
  readonly isExtended: boolean
  /** `built` until {@link createNode} has started all parts. */
  readonly state: LifecycleState
  /** Reports the address of a listening service, for net_services. */
  announce(service: ServiceName, address: ServiceAddress): void
  /**
   * Starts the Stratum server, the network and the block production that the chain or options ask for.
   * @throws {NodeError} LISTEN_FAILED
   */
  startMining(): Promise<void>
  /** Prints the part of the dev chain's log that is still in memory. */
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
export async function createNode(host: NodeHost, genesis: NodeGenesis, settings: NodeSettings): Promise<IsoNode> {
  const { logger, residency, timers } = host
  const parts = await openChain(host, genesis, settings)
  const { chain, devWriter, states, consensus, execution } = parts
  const permissions = parts.permissions?.follow(chain, stateSource(states))
  const activity = openActivity(host, parts, settings)
  const bft = host.bftNetwork === undefined ? new BftWire() : undefined
  const production = openBlockProduction({
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
    accounts: genesis.accounts ?? DEV_ACCOUNTS,
  })
  const stratum = openStratum(host, production, settings)
  const network = openNetwork({
    host,
    chain: parts,
    production,
    settings,
    bft,
    clientVersion: clientVersion(host, settings),
    permissions,
  })
  const info = createNodeInfo(host, chain.config, settings, { isExtending: production.isExtending, network })
  const blooms = bloomFiles(host, chain, settings)
  const plugins = new PluginHost({ plugins: host.plugins ?? [], timers, logger: logger.child('plugins') })
  const privacy = parts.privacy && openPrivacy(host, parts.privacy, parts, production, settings)
  const peers = new MaintainedPeers(host.signer, network, host.staticNodes)
  const names =
    host.hostNames && new NamedPeers({ names: host.hostNames, peers, timers, logger: logger.child('peers') })
  peers.named = names
  const backend = backendOf(host, parts, production, info, settings, {
    peers,
    blooms,
    plugins,
    network,
    privacy: privacy?.access,
  })
  const { endpoints, outbound, openProvider } = createEndpoints({
    ...host,
    residency: production.pending?.residency ?? residency,
    backend,
    info,
    settings,
    observer: activity?.log,
    pluginMethods: plugins.methods,
  })
  const reorgs = new ReorgLog(chain, logger.child('chain'), settings.reorgLoggingThreshold)
  const lifecycles = new Lifecycles(
    [
      { name: 'chain', stop: () => chain.close() },
      ...(activity === undefined ? [] : [activity]),
      reorgs,
      production,
      ...(stratum === undefined ? [] : [stratum]),
      ...(network === undefined ? [] : [network]),
      ...(names === undefined ? [] : [names]),
      ...(privacy === undefined ? [] : [privacy.lifecycle]),
      new IndexBuild(host, chain),
      ...(blooms === undefined ? [] : [blooms]),
      ...(host.plugins === undefined
        ? []
        : [pluginLifecycle(plugins, { chain, pool: production.pool, metrics: host.metrics, openProvider })]),
      ...metricsParts(host, parts, production, info, settings),
    ],
    { timers, logger },
  )
  await lifecycles.start()
  return {
    chain,
    states,
    evm: execution.evm.name,
    consensus,
    endpoints,
    outbound,
    openProvider,
    fetch: endpoints.get('http').fetch,
    get isExtended() {
      return info.isExtended
    },
    get state() {
      return lifecycles.state
    },
    announce: info.announce,
    startMining: async () => {
      await stratum?.listen()
      await network?.open()
      await production.produce()
    },
    flushActivity: () => activity?.log.flush(),
    stateDumps: stateDumps({
      chain,
      dev: production.dev,
      states: stateSource(states),
      residency,
      scheduler: execution.control.scheduler,
    }),
    close: () => lifecycles.stop(),
  }
}

/** @returns undefined on a host without files */
function bloomFiles(host: NodeHost, chain: Chain, settings: NodeSettings): LogBloomFiles | undefined {
  const { bloomFiles: files, logger } = host
  if (files === undefined) return undefined
  return new LogBloomFiles({
    ...host,
    files,
    chain,
    logger: logger.child('blooms'),
    isAutomatic: settings.keepsLogBlooms,
  })
}

function metricsParts(
  host: NodeHost,
  { chain, execution }: ChainParts,
  { pool }: BlockProduction,
  info: RunningInfo,
  { network: { limits } }: NodeSettings,
): readonly Lifecycle[] {
  const { metrics, processUsage } = host
  if (metrics === undefined) return []
  if (processUsage !== undefined) registerProcessMetrics(metrics, processUsage)
  const { scheduler } = execution.control
  return [
    nodeMetrics({ metrics, chain, pool, info, scheduler, maxPeers: limits.maxPeers }),
    new EventLoopDelay(metrics, host),
  ]
}

function backendOf(
  { clock, timers, random, logger, residency, senders, traceFiles, workers, metrics, logLevels, yieldToHost }: NodeHost,
  { chain, states, consensus, execution, permissions }: ChainParts,
  production: BlockProduction,
  info: RunningInfo,
  settings: NodeSettings,
  {
    blooms,
    plugins,
    network,
    privacy,
    peers,
  }: {
    readonly blooms: LogBloomFiles | undefined
    readonly plugins: PluginHost
    readonly network: NodeNetwork | undefined
    readonly privacy: PrivacyAccess | undefined
    readonly peers: MaintainedPeers
  },
) {
  const events = { chain, chainEvents: chain.events, poolEvents: production.pool.events }
  return createBackend({
    chain,
    states,
    consensus,
    calls: execution,
    senders,
    traceFiles,
    metrics,
    logLevels,
    logBlooms: blooms,
    plugins,
    privacy,
    peers,
    permissions: permissions?.control,
    clock,
    settings,
    info,
    production,
    filters: new Filters({ ...events, clock, random }),
    subscriptions: new Subscriptions({
      ...events,
      ...(network === undefined ? {} : { syncEvents: network.syncEvents }),
      texts: notificationTexts(settings.rpc.profile),
      ...(residency === undefined ? {} : { residency }),
      onError: (error) => logger.error('a notification failed', { error }),
    }),
    workers,
    timers,
    yieldToHost,
  })
}
