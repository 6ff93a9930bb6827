/**
 * Assembles the interfaces that RPC methods use.
 * @module
 */
import type { ContractKnowledge } from '../abi/contractKnowledge.ts'
import { TransitionCallSimulator } from '../api/calls/callSimulator.ts'
import type { ContractsAccess } from '../api/contracts/access.ts'
import { Filters } from '../api/feeds/filters.ts'
import { Subscriptions } from '../api/feeds/subscriptions.ts'
import type { ForkAccess } from '../api/forkAccess.ts'
import type { LogBloomCache } from '../api/logBlooms.ts'
import type { NodeInfo } from '../api/nodeInfo.ts'
import type { PeerControl } from '../api/peers.ts'
import type { PluginControl } from '../api/plugins.ts'
import { type MissRequest, type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { AbortState, ExecutionControl } from '../evm/driver.ts'
import type { ChainControl, RpcBackend } from '../rpc/backend.ts'
import { notificationTexts } from '../rpc/notificationTexts.ts'
import { requireState } from '../state/errors.ts'
import type { StateStore } from '../state/stateStore.ts'
import type { BlockProduction } from './blockProduction.ts'
import type { OpenContracts } from './contracts.ts'
import type { NodeHost } from './host.ts'
import type { NodeNetwork } from './network/nodeNetwork.ts'
import type { ChainServices } from './openChain.ts'
import type { OpenedPrivacy } from './privacy.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import type { Signers } from './signers.ts'
import type { ChainDumps } from './stateDumps.ts'
import { stateSource } from './stateSource.ts'
import type { OpenTracing, TracingPart } from './tracingPart.ts'

export interface BackendDeps {
  readonly host: NodeHost
  readonly chain: ChainServices
  readonly settings: NodeSettings
  readonly info: NodeInfo
  readonly production: BlockProduction
  /** undefined: there is no network */
  readonly network: Pick<NodeNetwork, 'syncEvents'> | undefined
  readonly logBlooms: LogBloomCache | undefined
  readonly peers: PeerControl
  /** undefined without plugins */
  readonly plugins: PluginControl | undefined
  readonly signers: Signers
  /** undefined: the chain continues no other one */
  readonly fork: ForkAccess | undefined
  /** undefined: the node keeps its chain */
  readonly succession: RpcBackend['succession']
  /** Those of the chain before this one; undefined: this is the first chain */
  readonly feeds: Feeds | undefined
  readonly dumps: Pick<ChainDumps, 'transfers'>
  /** Called for the first trace. */
  readonly openTracing: OpenTracing
  /** Called for the first method that needs it. */
  readonly openContracts: OpenContracts
  /** undefined: there is neither a log nor a folder of contracts */
  readonly knowledge: ContractKnowledge | undefined
  /** undefined without private transactions */
  readonly privacy: Pick<OpenedPrivacy, 'access'> | undefined
}

/** Report the events of a chain to clients. */
export interface Feeds {
  readonly filters: Filters
  readonly subscriptions: Subscriptions
}

export function createBackend(deps: BackendDeps): RpcBackend & Feeds {
  const { host, settings, info, production, signers } = deps
  const { chain, consensus, execution, permissions } = deps.chain
  const { timers, yieldToHost } = host
  const { pool, submission, mining, miner, remote, dev, pending } = production
  const states = stateSource(deps.chain.states)
  let opened: TracingPart | undefined
  const traces = (): TracingPart => {
    opened ??= deps.openTracing(host, deps.chain, deps.settings)
    return opened
  }
  let contracts: ContractsAccess | undefined
  return {
    chain,
    states,
    calls: new TransitionCallSimulator(execution),
    get tracing() {
      return traces().tracing
    },
    get traceFiles() {
      return traces().traceFiles
    },
    get contracts() {
      contracts ??= deps.openContracts(host, deps.knowledge)
      return contracts
    },
    residency: execution.control.residency,
    pool,
    pending,
    submission,
    ...(deps.feeds ?? newFeeds(deps)),
    node: info,
    mining,
    miner,
    remote,
    dev,
    fork: deps.fork,
    succession: deps.succession,
    transfers: () => deps.dumps.transfers(),
    remoteLogs: deps.fork?.logs,
    clique: signers.clique,
    bft: signers.bft,
    consensus,
    control: chainControl(deps),
    options: settings.rpc,
    workers: host.workers,
    scripts: host.scripts,
    metrics: host.metrics,
    logLevels: host.logLevels,
    mirror: host.mirror,
    database: host.database,
    logBlooms: deps.logBlooms,
    peers: deps.peers,
    permissions: permissions?.control,
    plugins: deps.plugins,
    privacy: deps.privacy?.access,
    timers,
    yieldToHost,
  }
}

function newFeeds({
  host: { clock, random, logger, residency },
  chain: { chain },
  production: { pool },
  settings,
  network,
}: BackendDeps): Feeds {
  const events = { chain, chainEvents: chain.events, poolEvents: pool.events }
  return {
    filters: new Filters({ ...events, clock, random }),
    subscriptions: new Subscriptions({
      ...events,
      ...(network === undefined ? {} : { syncEvents: network.syncEvents }),
      texts: notificationTexts(settings.rpc.profile),
      ...(residency === undefined ? {} : { residency }),
      onError: (error) => logger.error('a notification failed', { error }),
    }),
  }
}

function chainControl({
  chain: { chain, states, execution },
  production: { pool, signedHeight },
}: BackendDeps): ChainControl {
  // A validator never signs twice for a height, so a chain that goes back could stand still for good.
  const requireUnsigned = ({ header: { number } }: ChainHeader): void => {
    if (number >= chain.head.header.number || signedHeight() <= Number(number)) return
    const reason = `this validator has signed for block ${signedHeight()} and would not vote again below it`
    throw new NodeError({ code: 'VALIDATOR_HAS_SIGNED' }, `block ${number} cannot become the head: ${reason}`)
  }
  return {
    setHead: async (target) => {
      requireUnsigned(target)
      // The operator discards these blocks: their transactions are not restored to the pool.
      await pool.withoutReinsertion(() => chain.setHead(target.hash))
    },
    replayBlock: async (target) => {
      requireUnsigned(target)
      await chain.replayBlock(Number(target.header.number))
    },
    resyncWorldState: async (signal) => {
      await verifyState(states, chain.head, execution.control, signal)
      chain.forgetBadBlocks()
    },
  }
}

async function load(request: MissRequest, residency: Residency | undefined): Promise<void> {
  if (residency === undefined) throw new StoreMiss(request)
  await residency.load(request)
}

/** Peers cannot supply state yet, so the state is only verified. */
async function verifyState(
  states: StateStore,
  { stateRoot, header }: ChainHeader,
  { scheduler, residency }: ExecutionControl,
  signal: AbortState,
): Promise<void> {
  const slicer = scheduler?.slicer()
  const walk = states.recomputeRoot(requireState(stateRoot))
  let step = walk.next()
  while (step.done !== true) {
    if (step.value !== undefined) await load(step.value, residency)
    if (slicer?.isDue === true) await slicer.yield()
    if (signal.aborted) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
    step = walk.next()
  }
  if (equalBytes(step.value, stateRoot.hash)) return
  throw new NodeError({ code: 'STATE_DAMAGED' }, `the state of block ${header.number} does not match its root`)
}
