/**
 * A read-only node: it answers from a store that another node writes, and has neither writer nor pool.
 * @module
 */
import { Filters } from '../../api/feeds/filters.ts'
import type { SubscriptionHub } from '../../api/feeds/subscriptionHub.ts'
import { Subscriptions } from '../../api/feeds/subscriptions.ts'
import type { MirrorAccess } from '../../api/mirrorAccess.ts'
import type { ServiceAddress, ServiceName } from '../../api/nodeInfo.ts'
import type { Random } from '../../base/ports/random.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { Emitter } from '../../base/primitives/events.ts'
import type { ChainReader } from '../../chain/contract.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { RpcBackend } from '../../rpc/backend.ts'
import type { PinServices } from '../../rpc/envelope.ts'
import type { MethodDefinition } from '../../rpc/method.ts'
import { devMethods } from '../../rpc/methods/dev/index.ts'
import { METHODS } from '../../rpc/methods/index.ts'
import { notificationTexts } from '../../rpc/notificationTexts.ts'
import type { PoolEvents, PoolReader } from '../../txpool/contract.ts'
import { EMPTY_POOL } from '../../txpool/emptyPool.ts'
import type { TransactionSubmission } from '../../txpool/submission.ts'
import { bftAccess } from '../bft.ts'
import { cliqueAccess } from '../clique.ts'
import { openContracts } from '../contracts.ts'
import { createEndpoints, type EndpointDeps, type OpenedEndpoints } from '../endpoints.ts'
import type { NodeHost } from '../host.ts'
import { MaintainedPeers } from '../network/maintainedPeers.ts'
import { createNodeInfo, type NodeInfoDeps, type RunningInfo } from '../nodeInfo.ts'
import { type NodeBackend, openRpcInterface, type RpcInterface } from '../rpcInterface.ts'
import type { NodeSettings } from '../settings/nodeSettings.ts'
import { HeadFollower } from './headFollower.ts'
import { openReadOnlyBackend, type ReaderHost, type ReadOnlyBackend } from './readOnlyBackend.ts'

/** Parts that only a host with its own endpoints supplies. */
type ServingParts = 'access' | 'servesTls' | 'graphiql' | 'explorer' | 'metrics'

export interface ReadNodeHost
  extends ReaderHost,
    Pick<NodeHost, 'logger' | 'timers' | 'platform' | 'signer' | 'workers' | ServingParts> {
  /**
   * Makes commits visible to later reads; undefined for a store where they always are.
   * @returns false when there are none since the last time
   */
  readonly renewSnapshot?: () => boolean
  /** Names of methods that the node does not have; default: none. */
  readonly absentMethods?: ReadonlySet<string>
  /** Hash of the head that subscribers know already; default: the present one. */
  readonly seen?: Uint8Array | undefined
}

/** The further parts of a process that belongs to a larger node. */
export interface ReadNodeRole extends Pick<EndpointDeps, 'forwarder' | 'overGraphql' | 'health'> {
  /** Methods of another process. */
  readonly methods: readonly MethodDefinition[]
  /** For the ids of filters. */
  readonly filterRandom: Random
  /** Counts calls for the process that publishes the chain; undefined: none does */
  readonly mirror: MirrorAccess | undefined
  /** Subscription ids are higher. */
  readonly firstSubscription: bigint
}

export interface ReadNode extends OpenedEndpoints, Pick<RpcInterface, 'openProvider'> {
  readonly chain: ChainReader
  readonly evm: NodeSettings['evm']
  readonly subscriptions: SubscriptionHub
  /** Whether subscribers lack blocks that they cannot be told of. */
  readonly missesBlocks: boolean
  /**
   * Reads the head and notifies filters and subscriptions of new blocks. Every request does this first; a host that is
   * notified of commits calls it for subscribers without requests.
   */
  refresh(): void
  /** Reports the address of a listening service, for net_services. */
  announce(service: ServiceName, address: ServiceAddress): void
}

/** The parts that only a node over a mirror has. */
export interface ReplicaParts {
  /** Instead of the store: each request uses the state that was current at its beginning. */
  readonly views?: { forRequest(): ReadOnlyBackend }
  readonly mirror?: MirrorAccess
  /** Transactions that another node has accepted, and the way to it; default: none, and they are refused */
  readonly pool?: PoolReader
  readonly submission?: TransactionSubmission
  /** Why the node is not ready; undefined: it is */
  readonly standstill?: () => string | undefined
}

/** Default: the node stands alone, over a store. */
export interface ReadNodeParts {
  readonly replica?: ReplicaParts
  readonly role?: ReadNodeRole
}

/**
 * Writing methods answer READ_ONLY_NODE. The node need not be stopped; the store remains open.
 * @param config of the chain in the store
 * @throws {NodeError} STORE_DAMAGED, FORMAT_TOO_NEW, STORE_NOT_MIGRATED
 * @throws {StoreMiss} over a store that is not fully resident
 */
export function createReadNode(
  host: ReadNodeHost,
  config: ChainConfig,
  settings: NodeSettings,
  { replica = {}, role }: ReadNodeParts = {},
): ReadNode {
  const readOnly = openReadOnlyBackend(host, config, settings)
  const { chain } = readOnly
  const info = createNodeInfo(host, config, settings, infoParts(replica))
  const follower = new HeadFollower(chain, host.logger, host.seen)
  const refresh = (): void => {
    if (host.renewSnapshot?.() !== false) follower.refresh()
  }
  const { views, standstill: _, ...own } = replica
  const { methods = [], ...given } = role ?? {}
  const backend = { ...backendOf(host, readOnly, follower, info, settings, role), ...own }
  const pins = views === undefined ? { onRequest: refresh } : pinsOf(backend, () => views.forRequest())
  const deps = { ...host, ...given, backend, info, settings, ...pins }
  const all = [...METHODS, ...(settings.isDev ? devMethods : []), ...methods]
  const definitions = all.filter(({ name }) => host.absentMethods?.has(name) !== true)
  const rpc = openRpcInterface({ ...deps, methods: { definitions } })
  return {
    chain,
    evm: settings.evm,
    subscriptions: backend.subscriptions,
    missesBlocks: follower.missesBlocks,
    ...createEndpoints(deps, rpc),
    openProvider: rpc.openProvider,
    refresh,
    announce: info.announce,
  }
}

function infoParts({ standstill }: ReplicaParts): NodeInfoDeps | undefined {
  if (standstill === undefined) return undefined
  const watch = {
    get reason() {
      return standstill()
    },
  }
  return { isExtending: () => true, network: undefined, watch }
}

/** The state for requests and operations of GraphQL, which is replaced as a whole. */
function pinsOf(base: RpcBackend, current: () => ReadOnlyBackend): Pick<EndpointDeps, 'pin' | 'pinGraphql'> {
  const pinned = new WeakMap<object, { readonly view: ReadOnlyBackend; readonly services: PinnedServices }>()
  return {
    pin: (services) => {
      const view = current()
      const known = pinned.get(services)
      if (known?.view === view) return known.services
      const backend = { ...services.backend, ...chainParts(view) }
      const next = { ...services, backend, heavy: services.heavy.over(backend), residency: view.residency }
      pinned.set(services, { view, services: next })
      return next
    },
    pinGraphql: () => {
      const view = current()
      return { backend: { ...base, ...chainParts(view) }, residency: view.residency }
    },
  }
}

type PinnedServices = Parameters<PinServices<NodeBackend>>[0]

/** The parts of the backend that belong to one state of the store. */
function chainParts(backend: ReadOnlyBackend): ReadOnlyBackend & Pick<RpcBackend, 'clique' | 'bft'> {
  return {
    ...backend,
    clique: cliqueAccess(backend.chain, backend.consensus, { list: [], propose: refuse, discard: refuse }),
    bft: bftAccess(backend, { list: [], propose: refuse, discard: refuse }),
  }
}

function backendOf(
  { clock, timers, random, logger, residency }: ReadNodeHost,
  backend: ReadOnlyBackend,
  { events: chainEvents }: HeadFollower,
  info: RunningInfo,
  { pool, rpc }: NodeSettings,
  role: ReadNodeRole | undefined,
): RpcBackend {
  const events = { chain: backend.chain, chainEvents, poolEvents: new Emitter<PoolEvents>() }
  return {
    ...chainParts(backend),
    ...refusingParts(),
    node: info,
    peers: new MaintainedPeers(undefined),
    pool: EMPTY_POOL,
    contracts: openContracts({ logger }, undefined),
    traceFiles: undefined,
    dev: undefined,
    remote: undefined,
    mirror: role?.mirror,
    mining: { coinbase: undefined, mining: false, hashrate: 0n, minGasPrice: pool.minGasPrice },
    filters: new Filters({ ...events, clock, random: role?.filterRandom ?? random }),
    subscriptions: new Subscriptions({
      ...events,
      texts: notificationTexts(rpc.profile),
      ...(residency === undefined ? {} : { residency }),
      firstId: role?.firstSubscription,
      onError: (error) => logger.error('a notification failed', { error }),
    }),
    timers,
  }
}

function refuse(): never {
  throw new NodeError(
    { code: 'READ_ONLY_NODE' },
    'this node is read-only: it accepts no transactions and produces no blocks',
  )
}

function refusingParts(): Pick<RpcBackend, 'submission' | 'miner' | 'control'> {
  const refuseLater = async (): Promise<never> => refuse()
  return {
    submission: { submitRaw: refuseLater, submit: refuseLater },
    miner: { start: refuse, stop: refuse, setCoinbase: refuse, setTargetGasLimit: refuse },
    control: { setHead: refuse, replayBlock: refuse, resyncWorldState: refuse },
  }
}
