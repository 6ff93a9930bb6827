/**
 * The parts of the node that gossip needs.
 * @see docs/reference/p2p.md sections 7 and 8
 * @module
 */

import type { Clock, Logger, SenderRecovery } from '../../base/ports/host.ts'
import type { Residency } from '../../base/ports/keyValueStore.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Timers } from '../../base/ports/timers.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import type { Emitter, Unsubscribe } from '../../base/primitives/events.ts'
import type { ChainEvents, ChainHeader, ImportOptions, ImportOutcome } from '../../chain/contract.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import type { HeaderVerdict } from '../../chain/headerCheck.ts'
import type { PreparedBlock } from '../../chain/preparedBlock.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { SidecarVerification } from '../../txpool/blobs.ts'
import type { PoolEvents, PoolReader } from '../../txpool/contract.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'
import type { Header } from '../../types/block.ts'
import type { EthPeers } from '../eth/contract.ts'

/** The chain as gossip reads and extends it. */
export interface GossipChain {
  readonly config: ChainConfig
  readonly consensus: ConsensusSchedule
  readonly head: ChainHeader
  readonly events: Emitter<ChainEvents>
  headerByHash(hash: Uint8Array): ChainHeader | undefined
  /** RLP */
  blockRlp(hash: Uint8Array): Uint8Array | undefined
  checkHeader(header: Header, hash: Uint8Array): Promise<HeaderVerdict>
  importRun(run: readonly PreparedBlock[], options?: ImportOptions): Promise<ImportOutcome[]>
}

export interface GossipPool
  extends Pick<PoolReader, 'byHash' | 'transactions'>,
    Pick<TransactionPool, 'admit' | 'check'> {
  readonly events: Emitter<PoolEvents>
}

/** Whether the node is behind its peers: transactions are then neither accepted nor sent. */
export interface GossipProgress {
  readonly isBehind: boolean
  /** Calls the listener when the node is no longer behind. */
  onCaughtUp(listener: () => void): Unsubscribe
}

export interface GossipDeps {
  readonly peers: EthPeers
  readonly chain: GossipChain
  readonly pool: GossipPool
  readonly progress: GossipProgress
  readonly senders: SenderRecovery
  /** Default: on this thread, in steps. */
  readonly verifySidecar?: SidecarVerification | undefined
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly yieldToHost: YieldToHost
  /** Needed over a store that is not fully resident. */
  readonly residency?: Residency | undefined
  readonly logger: Logger
}
