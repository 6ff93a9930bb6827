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

/** Synchronous, cached reads of stored blocks; any of them may throw `StoreMiss` over a store that is not resident. */
export interface ChainReader {
  readonly config: ChainConfig
  readonly genesis: ChainHeader
  readonly head: ChainHeader
  /** Set by fork choice; undefined until then. */
  readonly safe: ChainHeader | undefined
  readonly finalized: ChainHeader | undefined
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
  /** Canonical chain only. */
  transactionLocation(transactionHash: Uint8Array): TransactionLocation | undefined
  /** Newest first, at most `MAX_BAD_BLOCKS`. */
  badBlocks(): readonly BadBlock[]
}
