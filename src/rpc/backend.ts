/**
 * The interfaces that RPC methods need from the node. Each method names the few members it uses; node/ assembles them.
 * @module
 */

import type { BftAccess } from '../api/bftAccess.ts'
import type { CallSimulator } from '../api/calls/contract.ts'
import type { CliqueAccess } from '../api/cliqueAccess.ts'
import type { ContractsAccess } from '../api/contracts/access.ts'
import type { FilterRegistry } from '../api/feeds/filterRegistry.ts'
import type { SubscriptionHub } from '../api/feeds/subscriptionHub.ts'
import type { ChainSuccession, ForkAccess } from '../api/forkAccess.ts'
import type { LogBloomCache } from '../api/logBlooms.ts'
import type { MirrorAccess } from '../api/mirrorAccess.ts'
import type { NodeInfo } from '../api/nodeInfo.ts'
import type { ApiOptions } from '../api/options.ts'
import type { PeerControl } from '../api/peers.ts'
import type { PluginControl } from '../api/plugins.ts'
import type { RemoteLogs } from '../api/remoteLogs.ts'
import type { DatabaseInfo } from '../base/ports/databaseInfo.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { LogLevels } from '../base/ports/logLevels.ts'
import type { MetricsReader } from '../base/ports/metrics.ts'
import type { RequestWorkers } from '../base/ports/requestWorkers.ts'
import type { ScriptEngine } from '../base/ports/scriptSandbox.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import type { DevChain } from '../dev/contract.ts'
import type { AbortState } from '../evm/driver.ts'
import type { PermissionControl } from '../permissioning/contract.ts'
import type { PrivacyAccess } from '../private/privacy/access.ts'
import type { MiningControl, MiningInfo, PendingSource, RemoteSealing } from '../sealing/contract.ts'
import type { CodeSource, StateSource } from '../state/contract.ts'
import type { BlockTraceFiles } from '../tracing/blockTraceFiles.ts'
import type { BlockTracing } from '../tracing/contract.ts'
import type { PoolReader } from '../txpool/contract.ts'
import type { TransactionSubmission } from '../txpool/submission.ts'
import type { ChainTransfers } from './dump/chainTransfers.ts'

/** Operations that change the head; they run through the chain's writer. */
export interface ChainControl {
  setHead(header: ChainHeader): void | Promise<void>
  replayBlock(header: ChainHeader): void | Promise<void>
  /**
   * Verifies or fetches the state again; clears the list of bad blocks.
   * @throws {NodeError} TIMEOUT once `signal` is aborted
   */
  resyncWorldState(signal: AbortState): void | Promise<void>
}

/** All interfaces; a method declares the part that it needs. */
export interface RpcBackend {
  readonly chain: ChainReader
  readonly states: StateSource & CodeSource
  readonly calls: CallSimulator
  readonly tracing: BlockTracing
  readonly contracts: ContractsAccess
  /** undefined when the host cannot store files */
  readonly traceFiles: BlockTraceFiles | undefined
  readonly pool: PoolReader
  /** Source of the block that `pending` names; undefined when that is the head. */
  readonly pending?: PendingSource | undefined
  readonly submission: TransactionSubmission
  readonly filters: FilterRegistry
  readonly subscriptions: SubscriptionHub
  readonly node: NodeInfo
  readonly peers: PeerControl
  /** Allowlists in files; undefined: permissioning is off */
  readonly permissions?: PermissionControl | undefined
  /** undefined: the program that runs the node determines the levels */
  readonly logLevels?: LogLevels | undefined
  /** Exports and imports of the dev chain in pieces; undefined: this node has none */
  readonly transfers?: (() => Promise<ChainTransfers>) | undefined
  /** undefined: the host does not tell */
  readonly database?: DatabaseInfo | undefined
  readonly plugins?: PluginControl | undefined
  /** undefined when the host cannot store files */
  readonly logBlooms?: LogBloomCache | undefined
  readonly mining: MiningInfo
  readonly miner: MiningControl
  /** Proof of work by miners outside the node; undefined under other engines. */
  readonly remote: RemoteSealing | undefined
  /** Functions of the dev chain; undefined on every other chain. */
  readonly dev: DevChain | undefined
  /** The chain that the dev chain continues; undefined: none. */
  readonly fork?: ForkAccess | undefined
  /** undefined: the node keeps its chain */
  readonly succession?: (() => Promise<ChainSuccession>) | undefined
  /** The mirror that the node reads or writes; undefined: there is none */
  readonly mirror?: MirrorAccess | undefined
  /** Logs of the blocks that the other chain has. */
  readonly remoteLogs?: RemoteLogs | undefined
  /** undefined on chains without Clique */
  readonly clique: CliqueAccess | undefined
  /** undefined on chains without IBFT 2.0, QBFT and legacy IBFT */
  readonly bft: BftAccess | undefined
  /** undefined without private transactions */
  readonly privacy?: PrivacyAccess | undefined
  readonly consensus: ConsensusSchedule
  readonly control: ChainControl
  readonly options: ApiOptions
  /** undefined: metrics are off */
  readonly metrics?: MetricsReader | undefined
  /**
   * Fetches data that a store miss names, for work that cannot be restarted; undefined when every store read is
   * synchronous.
   */
  readonly residency?: Residency | undefined
  /** Threads for work outside requests; undefined when the host has none. */
  readonly workers?: RequestWorkers | undefined
  /** Runs tracers written in JavaScript; undefined when the host has no engine. */
  readonly scripts?: ScriptEngine | undefined
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
}
