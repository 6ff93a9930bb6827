/**
 * Everything in a node that belongs to its chain: a reset to another chain composes it again.
 * @module
 */
import type { ContractKnowledge } from '../abi/contractKnowledge.ts'
import type { ActivityLog } from '../activityLog/activityLog.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { Chain } from '../chain/chain.ts'
import { DEV_ACCOUNTS } from '../config/devAccounts.ts'
import type { RpcBackend } from '../rpc/backend.ts'
import { openActivity } from './activity.ts'
import { createBackend, type Feeds } from './backend.ts'
import { type BlockProduction, openBlockProduction } from './blockProduction.ts'
import type { OpenContracts } from './contracts.ts'
import type { NodeGenesis, NodeHost } from './host.ts'
import { IndexBuild } from './indexBuild.ts'
import { type Lifecycle, Lifecycles } from './lifecycle.ts'
import type { LogBloomFiles } from './logBloomCache.ts'
import type { metricsParts } from './metricsParts.ts'
import { loadNetwork } from './network/loadNetwork.ts'
import { openMaintainedPeers } from './network/openMaintainedPeers.ts'
import { clientVersion, createNodeInfo, type RunningInfo } from './nodeInfo.ts'
import { type ChainServices, openChain } from './openChain.ts'
import type { PluginHost } from './plugins/pluginHost.ts'
import type { PluginServiceDeps } from './plugins/pluginLifecycle.ts'
import { ReorgLog } from './reorgLog.ts'
import type { NodeMethods, RpcInterface } from './rpcInterface.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { openSigners } from './signers.ts'
import { type ChainDumps, stateDumps } from './stateDumps.ts'
import { statePruning } from './statePruning.ts'
import { stateSource } from './stateSource.ts'
import type { OpenTracing } from './tracingPart.ts'

type MetricsInput = Parameters<typeof metricsParts> extends [unknown, unknown, ...infer Rest] ? Rest : never

/** Parts that a chain shares with the one that it succeeds. */
export interface ChainRole {
  readonly openTracing: OpenTracing
  readonly openContracts: OpenContracts
  /** undefined: the node keeps its chain */
  readonly succession: RpcBackend['succession']
  /** undefined: this is the first one */
  readonly before?: Pick<RunningChain, 'feeds' | 'knowledge'> | undefined
}

export interface RunningChain {
  readonly services: ChainServices
  readonly production: BlockProduction
  readonly info: RunningInfo
  /** Names and sources of contracts; undefined: there is neither a log nor a folder of contracts */
  readonly knowledge: ContractKnowledge | undefined
  readonly backend: RpcBackend
  /** Those of the chain before it, if there is one. */
  readonly feeds: Feeds
  readonly residency: Residency | undefined
  /** The log of calls; undefined: there is none */
  readonly log: ActivityLog | undefined
  readonly dumps: ChainDumps
  readonly pluginMethods: NodeMethods['definitions']
  /** Starts and stops the chain. */
  lifecycles(openProvider: RpcInterface['openProvider']): Promise<Lifecycles>
  /** Starts what the chain or the options ask for: the Stratum server, the network and the block production. */
  goOnline(): Promise<void>
}

/**
 * @returns not started
 * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain
 */
export async function openRunningChain(
  host: NodeHost,
  genesis: NodeGenesis,
  settings: NodeSettings,
  role: ChainRole,
): Promise<RunningChain> {
  const { logger, residency, timers } = host
  const { openTracing, openContracts, succession, before } = role
  const services = await openChain(host, genesis, settings)
  const { chain, devWriter, states, execution } = services
  const permissions = services.permissions?.follow(chain, stateSource(states))
  const folders = host.activity && (await import('./contractFolders.ts'))
  const knowledge = before?.knowledge ?? (host.activity && folders?.openKnowledge(host, host.activity))
  const activity = await openActivity(host, services, settings, knowledge)
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
  const { stratum: mining } = settings.sealing.remote
  const stratum = mining && (await (await import('./stratum.ts')).openStratum(host, production, mining))
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
  const fork = host.fork?.follow(production.dev)
  const dumps = stateDumps(host, services, production)
  const backendParts = {
    info,
    logBlooms,
    plugins: plugins?.host,
    network,
    privacy,
    peers,
    signers,
    fork,
    succession,
    feeds: before?.feeds,
    dumps,
    openTracing,
    openContracts,
    knowledge,
  }
  const lifecycles: RunningChain['lifecycles'] = async (openProvider) =>
    new Lifecycles(
      [
        { name: 'chain', stop: () => chain.close() },
        activity ?? (knowledge && folders?.contractFolders(knowledge, logger.child('contracts'), 'methods name')),
        activity &&
          new (await import('./waitLog.ts')).WaitLog(activity.log, production.pool, chain, stateSource(states)),
        new ReorgLog(chain, logger.child('chain'), settings),
        production,
        host.fork?.lifecycle(chain),
        stratum,
        network,
        watch,
        heads,
        ...signers.watches,
        namedPeers,
        privacy?.lifecycle,
        new IndexBuild(host, chain),
        statePruning(host, chain, settings),
        logBlooms,
        plugins?.lifecycle({ ...host, openProvider, chain, pool: production.pool }),
        ...(await metricsOf(host, services, production, info, settings)),
        // An import in progress holds the writer, for which other parts wait.
        { name: 'state dumps', stop: () => dumps.stop() },
      ],
      { timers, logger },
    )
  const backend = createBackend({ ...core, ...backendParts })
  return {
    services,
    production,
    info,
    knowledge,
    backend,
    feeds: { filters: backend.filters, subscriptions: backend.subscriptions },
    residency: production.pending?.residency ?? residency,
    log: activity?.log,
    dumps,
    pluginMethods: plugins?.host.methods ?? [],
    lifecycles,
    goOnline: async () => {
      await stratum?.listen()
      await network?.open()
      await production.produce()
      if (info.isExtended) watch?.open()
      heads?.open()
    },
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
