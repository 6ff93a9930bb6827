/**
 * Receipts and logs.
 * @module
 */

/** LOG4 */
export const MAX_LOG_TOPICS = 4

export interface Log {
  /** 20 bytes */
  readonly address: Uint8Array
  /** 0 to 4 of 32 bytes */
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

export interface Receipt {
  readonly type: 0 | 1 | 2 | 3 | 4
  /** From Byzantium on (EIP-658); before it `postState` stands instead. */
  readonly status?: boolean
  /** State root after the transaction, 32 bytes, before Byzantium. */
  readonly postState?: Uint8Array
  readonly cumulativeGasUsed: bigint
  /** 256 bytes */
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]
}

/** What is stored beside the consensus fields, so that no answer has to run a block again. */
export interface StoredReceipt extends Receipt {
  readonly gasUsed: bigint
  /** Address of a contract creation, also of a failed one. */
  readonly contractAddress?: Uint8Array
  /** Output of a reverted transaction; kept only with --revert-reason-enabled. */
  readonly revertReason?: Uint8Array
}
