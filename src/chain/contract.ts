/**
 * What the rest of the node may know of the chain.
 * @module
 */
import type { ChainConfig } from '../config/chainConfig.ts'
import type { StateRoot } from '../state/contract.ts'
import type { Block, BlockBody, Header } from '../types/block.ts'
import type { StoredReceipt } from '../types/receipt.ts'

/** A header with what the chain knows about it. */
export interface ChainHeader {
  readonly header: Header
  /** 32 bytes */
  readonly hash: Uint8Array
  /** of this block and all its ancestors */
  readonly totalDifficulty: bigint
  readonly stateRoot: StateRoot
}

/** A block that is not stored, with all that readers of a stored one find. */
export interface PendingBlock {
  /** Its state can be read like that of a stored block. */
  readonly header: ChainHeader
  readonly body: BlockBody
  /** One a transaction, 20 bytes each. */
  readonly senders: readonly Uint8Array[]
  /** One a transaction, 32 bytes each. */
  readonly transactionHashes: readonly Uint8Array[]
  readonly receipts: readonly StoredReceipt[]
  /** Length of the block's RLP. */
  readonly size: number
}

export interface TransactionLocation {
  readonly blockHash: Uint8Array
  readonly blockNumber: number
  readonly index: number
}

export interface BadBlock {
  readonly block: Block
  readonly hash: Uint8Array
  readonly rlp: Uint8Array
  readonly reason: string
}

/** What the answer to a search for logs is made of. */
export interface StoredLogs {
  readonly blockHash: Uint8Array
  /** As encodeStoredReceipts makes them. */
  readonly receipts: Uint8Array
  /** One hash a transaction. */
  readonly transactionHashes: readonly Uint8Array[]
}

/** What a log has to have: one of the addresses (none: any), and at each position one of the topics (undefined: any). */
export interface LogTerms {
  /** 20 bytes each */
  readonly addresses: readonly Uint8Array[]
  /** 32 bytes each */
  readonly topics: readonly (readonly Uint8Array[] | undefined)[]
}

/**
 * Which canonical blocks may hold something, ascending: all that do, and some that do not. Found step by step while it
 * is iterated over; whoever lets the chain change meanwhile has to ask again from there.
 */
export interface ChainIndex {
  /**
   * Blocks from `from` to `to`, both inclusive, that may have a log of this kind. Of blocks that are not indexed yet the bloom
   * is asked.
   */
  blocksWithLogs(terms: LogTerms, from: number, to: number): Iterable<number>
  /**
   * Blocks from `from` to `to`, both inclusive, whose execution may have looked at one of the accounts: sender, creator,
   * caller, target or beneficiary of anything, also in what was reverted, and of what the block itself pays. Precompiled
   * contracts are not all among them. Of blocks from before the index nothing is known: all of them may.
   */
  blocksWithAccounts(addresses: readonly Uint8Array[], from: number, to: number): Iterable<number>
}

/** Synchronous, cached reads of stored blocks; any of them may throw `StoreMiss` over a store that is not resident. */
export interface ChainReader {
  readonly config: ChainConfig
  readonly genesis: ChainHeader
  readonly head: ChainHeader
  /** Set by fork choice; undefined until then. On the dev chain the head. */
  readonly safe: ChainHeader | undefined
  readonly finalized: ChainHeader | undefined
  readonly index: ChainIndex
  canonicalHash(number: number): Uint8Array | undefined
  isCanonical(hash: Uint8Array): boolean
  headerByHash(hash: Uint8Array): ChainHeader | undefined
  /** Canonical chain only. */
  headerByNumber(number: number): ChainHeader | undefined
  body(hash: Uint8Array): BlockBody | undefined
  /** Length of the block's RLP. */
  blockSize(hash: Uint8Array): number | undefined
  /** One address a transaction, recovered once at import. */
  senders(hash: Uint8Array): readonly Uint8Array[] | undefined
  /** One hash a transaction. */
  transactionHashes(hash: Uint8Array): readonly Uint8Array[] | undefined
  receipts(hash: Uint8Array): readonly StoredReceipt[] | undefined
  /** Of canonical blocks, read together; undefined where there is no block or no receipt. */
  storedLogs(numbers: readonly number[]): (StoredLogs | undefined)[]
  /** Canonical chain only. */
  transactionLocation(transactionHash: Uint8Array): TransactionLocation | undefined
  /** Newest first, at most `MAX_BAD_BLOCKS`. */
  badBlocks(): readonly BadBlock[]
}

/**
 * What happens to the chain, told after the commit (src/events). Lists of blocks have the oldest first. A move of the head
 * over more than MAX_ATOMIC_MOVE_BLOCKS is several commits, each with its own `reorg` and `head`, so lists stay bounded.
 */
export interface ChainEvents {
  /** The head changed: by a block, by a run of blocks, or by a move to another branch. */
  head: {
    readonly head: ChainHeader
    /** Blocks that became canonical. */
    readonly added: readonly ChainHeader[]
    /** Blocks that are canonical no more. */
    readonly removed: readonly ChainHeader[]
  }
  /** Told before `head` when blocks were removed. */
  reorg: {
    readonly commonAncestor: ChainHeader
    readonly removed: readonly ChainHeader[]
    readonly added: readonly ChainHeader[]
  }
  /** One a block with logs; removed blocks (newest first) come before added ones. */
  logs: {
    readonly block: ChainHeader
    readonly receipts: readonly StoredReceipt[]
    readonly removed: boolean
  }
  badBlock: BadBlock
}

/** What became of a block that was given to the writer. */
export type ImportOutcome =
  /** Executed and stored; `isHead`: it is the head now. */
  | { readonly kind: 'imported'; readonly block: ChainHeader; readonly isHead: boolean }
  /** Was stored before. */
  | { readonly kind: 'known'; readonly block: ChainHeader; readonly isHead: boolean }
  /** The parent or its state is not stored. */
  | {
      readonly kind: 'unknownParent'
      readonly hash: Uint8Array
      readonly number: bigint
      readonly parentHash: Uint8Array
    }
  /** Ahead of the local clock: it may be valid later. */
  | { readonly kind: 'future'; readonly hash: Uint8Array; readonly number: bigint; readonly timestamp: bigint }
  | { readonly kind: 'invalid'; readonly hash: Uint8Array; readonly number: bigint; readonly reason: string }

export interface ImportOptions {
  /** false: the seal (proof of work, signatures) is taken as right. Default true. */
  readonly verifySeal?: boolean
  /** false: stored, but never the head, as for engine_newPayload. Default true: it becomes the head by the rule. */
  readonly mayBecomeHead?: boolean
  /** Checked between blocks: what was executed is committed, the rest is left out. */
  readonly signal?: AbortSignal
}

export interface ForkChoice {
  readonly head: Uint8Array
  /** undefined: as it was */
  readonly safe?: Uint8Array
  readonly finalized?: Uint8Array
}

export type ForkChoiceOutcome =
  | { readonly kind: 'updated'; readonly head: ChainHeader }
  | { readonly kind: 'unknown'; readonly which: 'head' | 'safe' | 'finalized' }
  /** safe or finalized is not an ancestor of the head. */
  | { readonly kind: 'notAncestor'; readonly which: 'safe' | 'finalized' }
