/**
 * What RPC methods need of the node. Each method names the few members it uses; node/ puts them together.
 * @module
 */

import type { CallRunner } from '../api/calls/contract.ts'
import type { FilterRegistry } from '../api/feeds/filterRegistry.ts'
import type { SubscriptionHub } from '../api/feeds/subscriptionHub.ts'
import type { NodeInfo } from '../api/nodeInfo.ts'
import type { ApiOptions } from '../api/options.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import type { ConsensusSchedule } from '../consensus/engine.ts'
import type { DevChain } from '../dev/contract.ts'
import type { AbortState } from '../evm/driver.ts'
import type { Residency } from '../ports/keyValueStore.ts'
import type { Timers } from '../ports/timers.ts'
import type { YieldToHost } from '../ports/yieldToHost.ts'
import type { MiningControl, MiningInfo, PendingSource } from '../sealing/contract.ts'
import type { StateSource } from '../state/contract.ts'
import type { BlockTraceFiles } from '../tracing/blockTraceFiles.ts'
import type { BlockTracing } from '../tracing/contract.ts'
import type { PoolReader } from '../txpool/contract.ts'
import type { TransactionSubmission } from '../txpool/submission.ts'

/** Operations that change which block is the head; they go through the chain's writer. */
export interface ChainControl {
  setHead(header: ChainHeader): void | Promise<void>
  replayBlock(header: ChainHeader): void | Promise<void>
  /**
   * Checks or fetches the state again; forgets bad blocks.
   * @throws {NodeError} TIMEOUT once `signal` is aborted
   */
  resyncWorldState(signal: AbortState): void | Promise<void>
}

/** Everything; a method takes a part of it. */
export interface RpcBackend {
  readonly chain: ChainReader
  readonly states: StateSource
  readonly calls: CallRunner
  readonly tracing: BlockTracing
  /** undefined where there is no place for files */
  readonly traceFiles: BlockTraceFiles | undefined
  readonly pool: PoolReader
  /** What `pending` names; undefined where that is the head. */
  readonly pending?: PendingSource | undefined
  readonly submission: TransactionSubmission
  readonly filters: FilterRegistry
  readonly subscriptions: SubscriptionHub
  readonly node: NodeInfo
  readonly mining: MiningInfo
  readonly miner: MiningControl
  /** The dev chain's own means; undefined on every other chain. */
  readonly dev: DevChain | undefined
  readonly consensus: ConsensusSchedule
  readonly control: ChainControl
  readonly options: ApiOptions
  /** Fetches what work misses that cannot be begun again; undefined over a store that answers at once. */
  readonly residency?: Residency | undefined
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
}
