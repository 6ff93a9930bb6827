/**
 * Blocks, transactions, receipts and logs with all data that an answer shows.
 * @module
 */
import type { Header, Withdrawal } from '../types/block.ts'
import type { Log, StoredReceipt } from '../types/receipt.ts'
import type { Transaction } from '../types/transaction.ts'

/** Position of a transaction in the chain. */
export interface MinedTransaction {
  readonly transaction: Transaction
  /** 32 bytes */
  readonly hash: Uint8Array
  /** 20 bytes */
  readonly from: Uint8Array
  /** 32 bytes */
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly index: number
  readonly baseFeePerGas: bigint | undefined
}

/** A transaction in the pool. */
export interface WaitingTransaction {
  readonly transaction: Transaction
  /** 32 bytes */
  readonly hash: Uint8Array
  /** 20 bytes */
  readonly from: Uint8Array
}

export interface BlockView {
  readonly header: Header
  /** 32 bytes */
  readonly hash: Uint8Array
  readonly totalDifficulty: bigint
  /** Length of the block's RLP. */
  readonly size: number
  /** Hashes, or whole transactions. */
  readonly transactions: readonly Uint8Array[] | readonly MinedTransaction[]
  readonly ommerHashes: readonly Uint8Array[]
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** Not sealed: shown without hash, nonce and beneficiary. */
  readonly isPending?: boolean
}

export interface ReceiptView {
  readonly receipt: StoredReceipt
  readonly transaction: Transaction
  /** 32 bytes */
  readonly hash: Uint8Array
  /** 20 bytes */
  readonly from: Uint8Array
  /** 32 bytes */
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly index: number
  /** Index of its first log in the block. */
  readonly firstLogIndex: number
  readonly baseFeePerGas: bigint | undefined
  /** Price of one unit of blob gas in the block; undefined before Cancun. */
  readonly blobBaseFee: bigint | undefined
}

export interface LogView {
  readonly log: Log
  readonly blockNumber: bigint
  readonly blockHash: Uint8Array
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  readonly logIndex: number
  /** true when the log's block is not canonical, or no longer canonical. */
  readonly removed: boolean
}
