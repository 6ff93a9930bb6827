/**
 * A block with its resulting state. Neither is stored or staged.
 * @module
 */

import type { MessageResult } from '../evm/evm.ts'
import { hasState } from '../state/contract.ts'
import { isSameRoot } from '../state/stateContext.ts'
import type { WorldState } from '../state/worldState.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { bodyBytes, receiptBytes } from './blockCache.ts'
import type { StoredHeader } from './blockTables.ts'
import type { DevAmendment } from './devAmendment.ts'
import { isSameEnvironment } from './devEnvironment.ts'
import type { ParentReads } from './parentReads.ts'
import type { PreparedBlock } from './preparedBlock.ts'
import type { PlannedTransaction } from './transition/buildInput.ts'

export interface ExecutedBlock {
  readonly prepared: PreparedBlock
  /** The parent as it was stored at execution. */
  readonly parent: StoredHeader
  readonly state: WorldState
  readonly receipts: readonly StoredReceipt[]
  /** Holds the records that the consensus engine stores with the block. */
  readonly parentReads: ParentReads
  /** Only for locally built blocks. */
  readonly built?: {
    readonly included: readonly PlannedTransaction[]
    readonly amendment: DevAmendment
    /** One per transaction. */
    readonly results: readonly MessageResult[]
  }
}

/** Estimated memory in bytes. */
export function executedBytes({ prepared, receipts, state }: ExecutedBlock): number {
  const { block, rlp } = prepared
  return rlp.length + bodyBytes(block, rlp.length) + receiptBytes(receipts) + state.estimatedBytes
}

/** Whether a block that was executed on one of the parents is also valid on the other. */
export function isSameParent(a: StoredHeader, b: StoredHeader): boolean {
  return hasState(a) && hasState(b) && isSameRoot(a.stateRoot, b.stateRoot) && isSameEnvironment(a.dev, b.dev)
}
