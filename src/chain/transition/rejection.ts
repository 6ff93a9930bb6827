/**
 * Reasons why a transaction cannot be executed. The node matches codes; clients match the wording of messages.
 * @module
 */

import type { TransactionFormErrorCode } from '../../types/transactionForm.ts'

export type RejectionCode =
  | TransactionFormErrorCode
  | 'NONCE_TOO_LOW'
  | 'NONCE_MAX'
  | 'SENDER_NOT_EOA'
  | 'GAS_LIMIT_TOO_HIGH'
  | 'BLOCK_GAS_LIMIT_REACHED'
  | 'BLOCK_SIZE_LIMIT_REACHED'
  | 'INTRINSIC_GAS_TOO_LOW'
  | 'FLOOR_GAS_TOO_LOW'
  | 'MAX_FEE_TOO_LOW'
  | 'PRIORITY_FEE_ABOVE_MAX_FEE'
  | 'INSUFFICIENT_FUNDS'
  | 'TOO_MANY_BLOBS'
  | 'BLOB_FEE_TOO_LOW'
  /** The block has no time left; the transaction may suit the next one. */
  | 'BLOCK_TIME_LIMIT_REACHED'
  /** It does not end within the time for a whole block. */
  | 'EXECUTION_TOO_SLOW'
  /** It needs more memory than this node has. */
  | 'EXECUTION_OUT_OF_MEMORY'
  /** By permissioning. */
  | 'TX_SENDER_NOT_AUTHORIZED'

export interface Rejection {
  readonly code: RejectionCode
  readonly message: string
}

export function reject(code: RejectionCode, message: string): Rejection {
  return { code, message }
}
