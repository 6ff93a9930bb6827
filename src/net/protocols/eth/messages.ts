/**
 * Messages of the eth protocol. Byte strings of received messages are views of the payload.
 * @see devp2p caps/eth.md
 * @module
 */

import type { Header } from '../../../types/block.ts'
import type { ForkId } from '../forkId.ts'

/** Blocks that a node can serve. */
export interface BlockRange {
  readonly earliest: bigint
  readonly latest: bigint
  /** 32 bytes */
  readonly latestHash: Uint8Array
}

export interface Status {
  readonly kind: 'status'
  readonly version: number
  readonly networkId: bigint
  /** 32 bytes */
  readonly genesisHash: Uint8Array
  /** undefined in eth/63 */
  readonly forkId: ForkId | undefined
  /** The best block, up to eth/68. */
  readonly best: { readonly hash: Uint8Array; readonly totalDifficulty: bigint } | undefined
  /** Since eth/69. */
  readonly range: BlockRange | undefined
}

/** A request or response. */
export interface Identified {
  /** Up to 64 bits; undefined up to eth/65. */
  readonly requestId: bigint | undefined
}

export interface HeaderQuery {
  /** Block number or hash (32 bytes) of the first header. */
  readonly start: bigint | Uint8Array
  readonly limit: bigint
  /** Blocks left out between two headers. */
  readonly skip: bigint
  readonly isReverse: boolean
}

export interface EncodedHeader {
  /** RLP, the preimage of the hash */
  readonly encoding: Uint8Array
  readonly header: Header
}

/** A transaction that need not have been decoded. */
export interface EncodedTransaction {
  /** EIP-2718, in the network form when it has a sidecar */
  readonly encoding: Uint8Array
  /** Of the transaction without its sidecar, 32 bytes. */
  readonly hash: Uint8Array
}

/** Announced in addition to each hash since eth/68. */
export interface AnnouncedForms {
  /** One byte per transaction. */
  readonly types: Uint8Array
  /** Length of each transaction's encoding. */
  readonly sizes: readonly number[]
}

interface HashRequest<K extends string> extends Identified {
  readonly kind: K
  /** 32 bytes each */
  readonly hashes: readonly Uint8Array[]
}

export type GetBlockHeaders = Identified & HeaderQuery & { readonly kind: 'getBlockHeaders' }
export type GetBlockBodies = HashRequest<'getBlockBodies'>
export type GetPooledTransactions = HashRequest<'getPooledTransactions'>
export type GetNodeData = HashRequest<'getNodeData'>
export type GetReceipts = HashRequest<'getReceipts'>

/** Questions that a node answers. */
export type EthRequest = GetBlockHeaders | GetBlockBodies | GetPooledTransactions | GetNodeData | GetReceipts

export interface NewBlockHashes {
  readonly kind: 'newBlockHashes'
  readonly blocks: readonly { readonly hash: Uint8Array; readonly number: bigint }[]
}

export interface Transactions {
  readonly kind: 'transactions'
  readonly transactions: readonly EncodedTransaction[]
}

export interface BlockHeaders extends Identified {
  readonly kind: 'blockHeaders'
  readonly headers: readonly EncodedHeader[]
}

export interface BlockBodies extends Identified {
  readonly kind: 'blockBodies'
  /** RLP of each; their form is checked, their content is not */
  readonly bodies: readonly Uint8Array[]
}

export interface NewBlock {
  readonly kind: 'newBlock'
  /** RLP; only its header has been decoded */
  readonly block: Uint8Array
  readonly header: EncodedHeader
  readonly totalDifficulty: bigint
}

export interface NewPooledTransactionHashes {
  readonly kind: 'newPooledTransactionHashes'
  readonly hashes: readonly Uint8Array[]
  /** Since eth/68. */
  readonly forms: AnnouncedForms | undefined
}

export interface PooledTransactions extends Identified {
  readonly kind: 'pooledTransactions'
  readonly transactions: readonly EncodedTransaction[]
}

export interface NodeData extends Identified {
  readonly kind: 'nodeData'
  readonly values: readonly Uint8Array[]
}

export interface Receipts extends Identified {
  readonly kind: 'receipts'
  /** RLP of each block's list; decoded by `decodeReceiptList` */
  readonly blocks: readonly Uint8Array[]
}

export interface BlockRangeUpdate extends BlockRange {
  readonly kind: 'blockRangeUpdate'
}

/** Answers to the questions of this node. */
export type EthResponse = BlockHeaders | BlockBodies | PooledTransactions | NodeData | Receipts

export type EthMessage =
  | Status
  | NewBlockHashes
  | Transactions
  | GetBlockHeaders
  | BlockHeaders
  | GetBlockBodies
  | BlockBodies
  | NewBlock
  | NewPooledTransactionHashes
  | GetPooledTransactions
  | PooledTransactions
  | GetNodeData
  | NodeData
  | GetReceipts
  | Receipts
  | BlockRangeUpdate
