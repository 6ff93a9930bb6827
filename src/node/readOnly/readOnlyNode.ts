/**
 * A read-only node: it answers from a store that another node writes, and has neither writer nor pool.
 * @module
 */
import { Filters } from '../../api/feeds/filters.ts'
import { Subscriptions } from '../../api/feeds/subscriptions.ts'
import type { ServiceAddress, ServiceName } from '../../api/nodeInfo.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { Emitter } from '../../base/primitives/events.ts'
import type { ChainReader } from '../../chain/contract.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { RpcBackend } from '../../rpc/backend.ts'
import { devMethods } from '../../rpc/methods/dev/index.ts'
import { METHODS } from '../../rpc/methods/index.ts'
import { notificationTexts } from '../../rpc/notificationTexts.ts'
import type { PoolEvents } from '../../txpool/contract.ts'
import { EMPTY_POOL } from '../../txpool/emptyPool.ts'
import { bftAccess } from '../bft.ts'
import { cliqueAccess } from '../clique.ts'
import { createEndpoints, type OpenedEndpoints } from '../endpoints.ts'
import type { NodeHost } from '../host.ts'
import { MaintainedPeers } from '../network/maintainedPeers.ts'
import { createNodeInfo, type RunningInfo } from '../nodeInfo.ts'
import { openRpcInterface, type RpcInterface } from '../rpcInterface.ts'
import type { NodeSettings } from '../settings/nodeSettings.ts'
import { HeadFollower } from './headFollower.ts'
import { openReadOnlyBackend, type ReaderHost, type ReadOnlyBackend } from './readOnlyBackend.ts'

export interface ReadNodeHost
  extends ReaderHost,
    Pick<NodeHost, 'logger' | 'timers' | 'platform' | 'signer' | 'workers'> {
  /** Makes commits visible to later reads; undefined for a store where they always are. */
  readonly renewSnapshot?: () => void
}

export interface ReadNode extends OpenedEndpoints, Pick<RpcInterface, 'openProvider'> {
  readonly chain: ChainReader
  readonly evm: NodeSettings['evm']
  /**
   * Reads the head and notifies filters and subscriptions of new blocks. Every request does this first; a host that is
   * notified of commits calls it for subscribers without requests.
   */
  refresh(): void
  /** Reports the address of a listening service, for net_services. */
  announce(service: ServiceName, address: ServiceAddress): void
}

/**
 * Writing methods answer READ_ONLY_NODE. The node need not be stopped; the store remains open.
 * @param config of the chain in the store
 * @throws {NodeError} STORE_DAMAGED, FORMAT_TOO_NEW, STORE_NOT_MIGRATED
 */
export function createReadNode(host: ReadNodeHost, config: ChainConfig, settings: NodeSettings): ReadNode {
  const readOnly = openReadOnlyBackend(host, config, settings)
  const { chain } = readOnly
  const info = createNodeInfo(host, config, settings)
  const follower = new HeadFollower(chain, host.logger)
  const refresh = (): void => {
    host.renewSnapshot?.()
    follower.refresh()
  }
  const backend = backendOf(host, readOnly, follower, info, settings)
  const deps = { ...host, backend, info, settings, onRequest: refresh }
  const definitions = [...METHODS, ...(settings.isDev ? devMethods : [])]
  const rpc = openRpcInterface({ ...deps, methods: { definitions } })
  return {
    chain,
    evm: settings.evm,
    ...createEndpoints(deps, rpc),
    openProvider: rpc.openProvider,
    refresh,
    announce: info.announce,
  }
}

function backendOf(
  { clock, timers, random, logger }: ReadNodeHost,
  backend: ReadOnlyBackend,
  { events: chainEvents }: HeadFollower,
  info: RunningInfo,
  { pool, rpc }: NodeSettings,
): RpcBackend {
  const events = { chain: backend.chain, chainEvents, poolEvents: new Emitter<PoolEvents>() }
  return {
    ...backend,
    ...refusingParts(),
    node: info,
    peers: new MaintainedPeers(undefined),
    pool: EMPTY_POOL,
    traceFiles: undefined,
    dev: undefined,
    clique: cliqueAccess(backend.chain, backend.consensus, { list: [], propose: refuse, discard: refuse }),
    remote: undefined,
    bft: bftAccess(backend, { list: [], propose: refuse, discard: refuse }),
    mining: { coinbase: undefined, mining: false, hashrate: 0n, minGasPrice: pool.minGasPrice },
    filters: new Filters({ ...events, clock, random }),
    subscriptions: new Subscriptions({
      ...events,
      texts: notificationTexts(rpc.profile),
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
