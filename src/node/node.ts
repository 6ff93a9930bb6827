/**
 * The composition root: builds a node from the host's services. Only this folder names concrete classes.
 * @module
 */
import type { ServiceAddress, ServiceName } from '../api/nodeInfo.ts'
import type { Chain } from '../chain/chain.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import { DEV_ACCOUNTS } from '../config/devAccounts.ts'
import type { StateStore } from '../state/stateStore.ts'
import { openActivity } from './activity.ts'
import { createBackend } from './backend.ts'
import { validatorGroup } from './bft.ts'
import { type BlockProduction, openBlockProduction } from './blockProduction.ts'
import { cliqueGroup } from './clique.ts'
import { createEndpoints, type Endpoints, type HttpEndpoint, type OpenedEndpoints } from './endpoints.ts'
import { EventLoopDelay } from './eventLoopDelay.ts'
import { HeadLog, isAuthorIn } from './headLog.ts'
import type { NodeGenesis, NodeHost } from './host.ts'
import { IndexBuild } from './indexBuild.ts'
import { type Lifecycle, type LifecycleState, Lifecycles } from './lifecycle.ts'
import { LogBloomFiles } from './logBloomCache.ts'
import { loadNetwork } from './network/loadNetwork.ts'
import { openMaintainedPeers } from './network/namedPeers.ts'
import type { NodeNetwork } from './network/nodeNetwork.ts'
import { clientVersion, createNodeInfo, type RunningInfo } from './nodeInfo.ts'
import { nodeMetrics } from './nodeMetrics.ts'
import { type ChainServices, openChain } from './openChain.ts'
import { PluginHost } from './plugins/pluginHost.ts'
import { pluginLifecycle } from './plugins/pluginLifecycle.ts'
import { registerProcessMetrics } from './processMetrics.ts'
import { ReorgLog } from './reorgLog.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { SignerWatch } from './signerWatch.ts'
import { StandstillWatch } from './standstill.ts'
import { type StateDumps, stateDumps } from './stateDumps.ts'
import { stateSource } from './stateSource.ts'
import { openStratum } from './stratum.ts'
import { WaitLog } from './waitLog.ts'

export type { NodeGenesis, NodeHost } from './host.ts'

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
export async function createNode(host: NodeHost, genesis: NodeGenesis, settings: NodeSettings): Promise<IsoNode> {
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
  const watch = openWatch(host, services, production, network, settings)
  const info = createNodeInfo(host, chain.config, settings, { isExtending: production.isExtending, network, watch })
  const heads = openHeadLog(host, services, production, info, settings)
  const logBlooms = bloomFiles(host, chain, settings)
  const plugins = new PluginHost({ plugins: host.plugins ?? [], timers, logger: logger.child('plugins') })
  const privacy =
    services.privacy &&
    (await import('./privacy.ts')).openPrivacy(host, services.privacy, services, production, settings)
  const { peers, namedPeers } = openMaintainedPeers(host, network)
  const openedEndpoints = createEndpoints({
    ...host,
    residency: production.pending?.residency ?? residency,
    backend: createBackend({ ...core, info, logBlooms, plugins, network, privacy, peers }),
    info,
    settings,
    observer: activity?.log,
    onHead: (listener) => chain.events.on('head', listener),
    pluginMethods: plugins.methods,
  })
  const lifecycles = new Lifecycles(
    [
      { name: 'chain', stop: () => chain.close() },
      activity,
      activity && new WaitLog(activity.log, production.pool, chain, stateSource(states)),
      new ReorgLog(chain, logger.child('chain'), settings),
      production,
      stratum,
      network,
      watch,
      heads,
      ...signerWatches(host, services, production),
      namedPeers,
      privacy?.lifecycle,
      new IndexBuild(host, chain),
      logBlooms,
      host.plugins && pluginLifecycle(plugins, { ...host, ...openedEndpoints, chain, pool: production.pool }),
      ...metricsParts(host, services, production, info, settings),
    ],
    { timers, logger },
  )
  await lifecycles.start()
  return {
    chain,
    states,
    evm: execution.evm.name,
    consensus,
    ...openedEndpoints,
    fetch: openedEndpoints.endpoints.get('http').fetch,
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

/** @returns undefined on a dev chain, whose blocks are not due at any time */
function openWatch(
  { clock, timers, logger }: NodeHost,
  { chain }: ChainServices,
  production: BlockProduction,
  network: NodeNetwork | undefined,
  { isDev }: NodeSettings,
): StandstillWatch | undefined {
  if (isDev) return undefined
  const { attendance } = production
  const peerCount = (): number | undefined => network?.peers.length
  return new StandstillWatch({ chain, clock, timers, logger: logger.child('chain'), attendance, peerCount })
}

/** @returns undefined on a dev chain, which logs its blocks itself */
function openHeadLog(
  { logger, signer }: NodeHost,
  { chain }: ChainServices,
  { attendance, mining }: BlockProduction,
  info: RunningInfo,
  { isDev }: NodeSettings,
): HeadLog | undefined {
  if (isDev) return undefined
  return new HeadLog({
    chain,
    logger: logger.child('chain'),
    isSynchronising: () => info.syncStatus !== undefined,
    isLogged: (author) => attendance() !== undefined || isAuthorIn([signer?.address, mining.coinbase], author),
  })
}

function signerWatches(
  { signer, residency, logger }: NodeHost,
  { chain, states, consensus, execution }: ChainServices,
  { votes, proposals }: BlockProduction,
): readonly SignerWatch[] {
  const groups = [
    validatorGroup({ chain, states: stateSource(states), execution }, votes),
    cliqueGroup(chain, consensus, proposals),
  ]
  const parts = { chain, local: signer?.address, residency, logger: logger.child('chain') }
  return groups.flatMap((group) => (group === undefined ? [] : [new SignerWatch({ ...parts, group })]))
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
  { chain, execution }: ChainServices,
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
