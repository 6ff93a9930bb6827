/**
 * Assembles the interfaces that RPC methods use.
 * @module
 */

import { TransitionCallRunner } from '../api/calls/callRunner.ts'
import type { FilterRegistry } from '../api/feeds/filterRegistry.ts'
import type { SubscriptionHub } from '../api/feeds/subscriptionHub.ts'
import type { LogBloomCache } from '../api/logBlooms.ts'
import type { NodeInfo } from '../api/nodeInfo.ts'
import type { PeerControl } from '../api/peers.ts'
import type { PluginControl } from '../api/plugins.ts'
import type { Clock, SenderRecovery } from '../base/ports/host.ts'
import { type MissRequest, type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import type { LogLevels } from '../base/ports/logLevels.ts'
import type { MetricsReader } from '../base/ports/metrics.ts'
import type { RequestWorkers } from '../base/ports/requestWorkers.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { TraceFiles } from '../base/ports/traceFiles.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import type { ExecutionParts } from '../chain/transition/executionInput.ts'
import type { AbortState, ExecutionControl } from '../evm/driver.ts'
import type { PermissionControl } from '../permissioning/contract.ts'
import type { PrivacyAccess } from '../private/privacy/access.ts'
import type { ChainControl, RpcBackend } from '../rpc/backend.ts'
import type { StateStore } from '../state/stateStore.ts'
import { BlockTraceFiles } from '../tracing/blockTraceFiles.ts'
import { Replay } from '../tracing/replay.ts'
import { bftAccess } from './bft.ts'
import type { BlockProduction } from './blockProduction.ts'
import { cliqueAccess } from './clique.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { stateSource } from './stateSource.ts'

export interface BackendParts {
  readonly chain: Chain
  readonly states: StateStore
  readonly consensus: ConsensusSchedule
  readonly calls: ExecutionParts
  readonly senders: SenderRecovery
  readonly traceFiles: TraceFiles | undefined
  readonly clock: Clock
  readonly settings: NodeSettings
  readonly info: NodeInfo
  readonly production: BlockProduction
  readonly filters: FilterRegistry
  readonly subscriptions: SubscriptionHub
  readonly workers: RequestWorkers | undefined
  readonly metrics: MetricsReader | undefined
  readonly logLevels: LogLevels | undefined
  readonly logBlooms: LogBloomCache | undefined
  readonly peers: PeerControl
  readonly permissions: PermissionControl | undefined
  readonly plugins: PluginControl
  readonly privacy: PrivacyAccess | undefined
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
}

export function createBackend(parts: BackendParts): RpcBackend {
  const { chain, states, consensus, calls, senders, settings, info, production, filters, subscriptions, yieldToHost } =
    parts
  const { pool, submission, mining, miner, remote, dev, proposals, votes, pending } = production
  const source = stateSource(states)
  const tracing = new Replay({ ...calls, chain, states: source, senders })
  return {
    chain,
    states: source,
    calls: new TransitionCallRunner(calls),
    tracing,
    traceFiles: parts.traceFiles && new BlockTraceFiles(parts.traceFiles, tracing, parts.clock),
    residency: calls.control.residency,
    pool,
    pending,
    submission,
    filters,
    subscriptions,
    node: info,
    mining,
    miner,
    remote,
    dev,
    clique: cliqueAccess(chain, consensus, proposals),
    bft: bftAccess({ chain, states: source, execution: calls }, votes),
    consensus,
    control: chainControl(parts),
    options: settings.rpc,
    workers: parts.workers,
    metrics: parts.metrics,
    logLevels: parts.logLevels,
    logBlooms: parts.logBlooms,
    peers: parts.peers,
    permissions: parts.permissions,
    plugins: parts.plugins,
    privacy: parts.privacy,
    timers: parts.timers,
    yieldToHost,
  }
}

function chainControl({ chain, states, calls, production: { pool } }: BackendParts): ChainControl {
  return {
    setHead: async ({ hash }) => {
      // The operator discards these blocks: their transactions are not restored to the pool.
      await pool.withoutReinsertion(() => chain.setHead(hash))
    },
    replayBlock: async ({ header }) => {
      await chain.replayBlock(Number(header.number))
    },
    resyncWorldState: async (signal) => {
      await verifyState(states, chain.head, calls.control, signal)
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
  const walk = states.recomputeRoot(stateRoot)
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
