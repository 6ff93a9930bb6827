/**
 * The chain as other parts of the node see it.
 * @module
 */

import type { AbortSignal } from '../base/ports/webTypes.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { DevEnvironment } from '../evm/evm.ts'
import type { StorageRecall, StoredState } from '../state/contract.ts'
import type { BlockBody, Header } from '../types/block.ts'
import type { StoredReceipt } from '../types/receipt.ts'

/** Consecutive empty blocks of a dev chain that are derived when they are read (chain/emptyRuns/runRecord.ts). */
export interface BlockRun {
  readonly id: Uint8Array
  readonly first: number
  readonly last: number
  /** Hash of a block of the run, or of the block before it. */
  hashOf(number: number): Uint8Array
}

/** A block's place in a run. */
export interface RunPosition {
  readonly run: BlockRun
  /** Whether the block is stored as well, because it was the head. */
  readonly isStored: boolean
  /** The slots of the history contract that the state after the block lacks. */
  readonly recall: StorageRecall
}

/** A header with data derived by the chain. */
export interface ChainHeader {
  readonly header: Header
  /** 32 bytes */
  readonly hash: Uint8Array
  /** of this block and all its ancestors */
  readonly totalDifficulty: bigint
  readonly stateRoot: StoredState
  /** In force for calls on this block and for its children; undefined unless a dev chain deviates from its genesis. */
  readonly dev?: DevEnvironment | undefined
  /** Only on a dev chain: the block belongs to a run. */
  readonly run?: RunPosition | undefined
}

/** A block that is not stored, with all data that readers of a stored block need. */
export interface PendingBlock {
  /** Its state is readable like that of a stored block. */
  readonly header: ChainHeader
  readonly body: BlockBody
  /** One per transaction, 20 bytes each. */
  readonly senders: readonly Uint8Array[]
  /** One per transaction, 32 bytes each. */
  readonly transactionHashes: readonly Uint8Array[]
  readonly receipts: readonly StoredReceipt[]
  /** Length of the block's RLP. */
  readonly size: number
}

/** The part of a block that leads to its parent. */
export type ParentLink = Pick<ChainHeader, 'header' | 'run'>

export interface TransactionLocation {
  readonly blockHash: Uint8Array
  readonly blockNumber: number
  readonly index: number
}

export interface BadBlock {
  readonly hash: Uint8Array
  readonly rlp: Uint8Array
  readonly reason: string
}

/** Data for the answer to a log query, as stored. */
export interface StoredLogs {
  readonly number: number
  readonly blockHash: Uint8Array
  /** In the format of encodeStoredReceipts. */
  readonly receipts: Uint8Array
  /** In the format of encodeTransactionKeys. */
  readonly transactionKeys: Uint8Array
}

/** Conditions for a log: one of the addresses (empty: any), and at each position one of the topics (undefined: any). */
export interface LogTerms {
  /** 20 bytes each */
  readonly addresses: readonly Uint8Array[]
  /** 32 bytes each */
  readonly topics: readonly (readonly Uint8Array[] | undefined)[]
}

/**
 * Canonical blocks that may contain something: a superset of the matching blocks, ascending, computed lazily. Restart
 * the query if the head changes while iterating.
 */
export interface ChainIndex {
  /**
   * Blocks from `from` to `to`, both inclusive, that may have a matching log. For blocks that are not indexed yet, the
   * bloom decides.
   */
  blocksWithLogs(terms: LogTerms, from: number, to: number): Iterable<number>
  /**
   * Blocks from `from` to `to`, both inclusive, whose execution may have accessed one of the accounts: as sender,
   * creator, caller, callee or beneficiary, also in reverted frames, and of the block's own rewards. Not all
   * precompiled contracts are included. Blocks older than the index always match.
   * @param isDescending the blocks are in descending order, also computed lazily
   */
  blocksWithAccounts(
    addresses: readonly Uint8Array[],
    from: number,
    to: number,
    isDescending?: boolean,
  ): Iterable<number>
  /** The number itself, or the first one after the derived blocks around it, which have neither logs nor calls. */
  skipDerived(number: number): number
}

/** Synchronous, cached reads of stored blocks; each may throw `StoreMiss` over a store that is not resident. */
export interface ChainReader {
  readonly config: ChainConfig
  readonly genesis: ChainHeader
  /** Number of the first block that can be read: the genesis block, except on a chain that continues another one. */
  readonly lowestNumber: number
  readonly head: ChainHeader
  /** Set by fork choice, undefined before; on the dev chain the head. */
  readonly safe: ChainHeader | undefined
  readonly finalized: ChainHeader | undefined
  readonly index: ChainIndex
  canonicalHash(number: number): Uint8Array | undefined
  isCanonical(hash: Uint8Array): boolean
  headerByHash(hash: Uint8Array): ChainHeader | undefined
  /** Canonical chain only. */
  headerByNumber(number: number): ChainHeader | undefined
  /** The parent of a stored block. The first blocks of long stretches of a run do not name theirs by its hash. */
  parentOf(block: ParentLink): ChainHeader | undefined
  body(hash: Uint8Array): BlockBody | undefined
  /** Length of the block's RLP. */
  blockSize(hash: Uint8Array): number | undefined
  /** One address per transaction, recovered once at import. */
  senders(hash: Uint8Array): readonly Uint8Array[] | undefined
  /** One hash per transaction. */
  transactionHashes(hash: Uint8Array): readonly Uint8Array[] | undefined
  receipts(hash: Uint8Array): readonly StoredReceipt[] | undefined
  /** Logs of canonical blocks, read together; undefined for a missing block or one without receipts. */
  storedLogs(numbers: readonly number[]): (StoredLogs | undefined)[]
  /** Logs of a stored block, canonical or not; undefined without receipts. */
  storedLogsOf(hash: Uint8Array): StoredLogs | undefined
  /** Canonical chain only. */
  transactionLocation(transactionHash: Uint8Array): TransactionLocation | undefined
  /** Newest first, at most `MAX_BAD_BLOCKS` with `BAD_BLOCK_BYTES`. */
  badBlocks(): readonly BadBlock[]
}

/**
 * Changes of the chain, emitted after the commit (src/base/primitives/events.ts). Lists of blocks are ordered oldest
 * first. A change of the head over more than MAX_ATOMIC_MOVE_BLOCKS consists of several commits, each with its own
 * `reorg` and `head`, so lists are bounded.
 */
export interface ChainEvents {
  /** The head changed: by one or more new blocks, or by a switch to another branch. */
  head: {
    readonly head: ChainHeader
    /** Blocks that became canonical. */
    readonly added: readonly ChainHeader[]
    /** Blocks that are no longer canonical. */
    readonly removed: readonly ChainHeader[]
  }
  /** Emitted before `head` when blocks were removed. */
  reorg: {
    readonly commonAncestor: ChainHeader
    readonly removed: readonly ChainHeader[]
    readonly added: readonly ChainHeader[]
  }
  /** One event per block with logs; removed blocks (newest first) precede added ones. */
  logs: {
    readonly block: ChainHeader
    readonly receipts: readonly StoredReceipt[]
    readonly removed: boolean
  }
  badBlock: BadBlock
}

/** Result of an import. */
export type ImportOutcome =
  /** Executed and stored; `isHead`: it became the head. */
  | { readonly kind: 'imported'; readonly block: ChainHeader; readonly isHead: boolean }
  /** Was already stored. */
  | { readonly kind: 'known'; readonly block: ChainHeader; readonly isHead: boolean }
  /** The parent or its state is not stored. */
  | {
      readonly kind: 'unknownParent'
      readonly hash: Uint8Array
      readonly number: bigint
      readonly parentHash: Uint8Array
    }
  /** Ahead of the local clock: may become valid later. */
  | { readonly kind: 'future'; readonly hash: Uint8Array; readonly number: bigint; readonly timestamp: bigint }
  | { readonly kind: 'invalid'; readonly hash: Uint8Array; readonly number: bigint; readonly reason: string }

export interface ImportOptions {
  /** false: the seal (proof of work, signatures) is assumed to be valid. Default true. */
  readonly verifySeal?: boolean
  /**
   * false: the block is stored but never becomes the head, as for engine_newPayload. Default true: the head rule
   * applies.
   */
  readonly mayBecomeHead?: boolean
  /** Checked between blocks: executed blocks are committed, the rest is omitted. */
  readonly signal?: AbortSignal
  /** Called when the run has its place in the queue of the writer: a run that is imported after this call follows it. */
  readonly onQueued?: () => void
}

export interface ForkChoice {
  readonly head: Uint8Array
  /** undefined: unchanged */
  readonly safe?: Uint8Array
  readonly finalized?: Uint8Array
}

export type ForkChoiceOutcome =
  | { readonly kind: 'updated'; readonly head: ChainHeader }
  | { readonly kind: 'unknown'; readonly which: 'head' | 'safe' | 'finalized' }
  /** The head was stored without execution. */
  | { readonly kind: 'stateNotAvailable' }
  /** The safe or finalized block is not an ancestor of the head. */
  | { readonly kind: 'notAncestor'; readonly which: 'safe' | 'finalized' }
