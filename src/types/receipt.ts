/**
 * Receipts and logs.
 * @module
 */

/** LOG4 */
export const MAX_LOG_TOPICS = 4

export interface Log {
  /** 20 bytes */
  readonly address: Uint8Array
  /** 0 to 4 topics of 32 bytes */
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

export interface Receipt {
  readonly type: 0 | 1 | 2 | 3 | 4
  /** Present since Byzantium (EIP-658); earlier receipts have `postState` instead. */
  readonly status?: boolean
  /** State root after the transaction, 32 bytes, before Byzantium. */
  readonly postState?: Uint8Array
  readonly cumulativeGasUsed: bigint
  /** 256 bytes */
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]
}

/** A receipt with derived data, stored so that no answer requires executing a block again. */
export interface StoredReceipt extends Receipt {
  readonly gasUsed: bigint
  /** Address of the created contract, also when the creation failed. */
  readonly contractAddress?: Uint8Array
  /** Output of a reverted transaction; kept only with --revert-reason-enabled. */
  readonly revertReason?: Uint8Array
}
