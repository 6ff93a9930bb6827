/**
 * Full synchronisation: parts that it needs from the node, and its bounds.
 * @see docs/reference/p2p.md section 9
 * @module
 */

import {
  MAX_SYNC_BRANCH_HEADERS,
  MAX_SYNC_FORK_BLOCKS,
  MAX_SYNC_ROUND_BLOCKS,
  SYNC_SEGMENT_HEADERS,
  SYNC_SKELETON_SEGMENTS,
} from '../../base/limits/networkLimits.ts'
import type { Clock, Logger, SenderRecovery } from '../../base/ports/host.ts'
import type { Residency } from '../../base/ports/keyValueStore.ts'
import type { ShowProgress } from '../../base/ports/progress.ts'
import type { Timers } from '../../base/ports/timers.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import type { Emitter } from '../../base/primitives/events.ts'
import type { ChainEvents, ChainReader } from '../../chain/contract.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import type { ImportTarget } from '../../chain/import.ts'
import type { Header } from '../../types/block.ts'
import type { EthPeer, EthPeers } from '../eth/contract.ts'

/** The chain as synchronisation reads and extends it. */
export interface SyncChain
  extends ImportTarget,
    Pick<ChainReader, 'config' | 'head' | 'canonicalHash' | 'headerByHash' | 'headerByNumber' | 'badBlocks'> {
  readonly consensus: ConsensusSchedule
  readonly events: Emitter<ChainEvents>
}

/** Sizes that tests reduce. */
export interface SyncBounds {
  readonly segmentHeaders: number
  readonly skeletonSegments: number
  readonly roundBlocks: number
  readonly forkBlocks: number
  readonly branchHeaders: number
}

export const SYNC_BOUNDS: SyncBounds = {
  segmentHeaders: SYNC_SEGMENT_HEADERS,
  skeletonSegments: SYNC_SKELETON_SEGMENTS,
  roundBlocks: MAX_SYNC_ROUND_BLOCKS,
  forkBlocks: MAX_SYNC_FORK_BLOCKS,
  branchHeaders: MAX_SYNC_BRANCH_HEADERS,
}

export interface SyncDeps {
  readonly chain: SyncChain
  readonly peers: EthPeers
  readonly senders: SenderRecovery
  readonly clock: Clock
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
  readonly residency?: Residency | undefined
  readonly logger: Logger
  /** Default: log messages only. */
  readonly showProgress?: ShowProgress | undefined
  readonly maxPeers: number
  /** false: seals are assumed to be valid. Default true. */
  readonly verifySeal?: boolean
  readonly bounds?: SyncBounds
}

/** Shape of eth_syncing. */
export interface SyncPosition {
  readonly startingBlock: bigint
  readonly currentBlock: bigint
  readonly highestBlock: bigint
}

/** A header of a branch under download. */
export interface BranchHeader {
  readonly header: Header
  /** RLP */
  readonly encoding: Uint8Array
  /** 32 bytes */
  readonly hash: Uint8Array
  /** The peer that delivered it. */
  readonly from: EthPeer
}
