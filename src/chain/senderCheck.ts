/**
 * A rule about the senders of transactions in blocks that is not part of the protocol: permissioning.
 * @module
 */
import type { MaybePromise } from '../base/primitives/maybePromise.ts'
import type { MutableState } from '../state/contract.ts'
import type { Transaction } from '../types/transaction.ts'
import type { ChainHeader } from './contract.ts'
import type { Rejection } from './transition/rejection.ts'

/** The parent of the block whose transactions are checked, and the state after it. */
export interface SenderCheckContext {
  readonly parent: ChainHeader
  /** @returns a temporary state after the parent */
  state(): MutableState
  /** Hash of the parent or of a block below it. */
  blockHash(number: bigint): Uint8Array | undefined
}

/**
 * @param sender 20 bytes
 * @returns undefined when the sender may send the transaction
 */
export type SenderCheck = (
  transaction: Transaction,
  sender: Uint8Array,
  context: SenderCheckContext,
) => MaybePromise<Rejection | undefined>

/** Each applies after all other rules; undefined: all senders are allowed. */
export interface SenderChecks {
  /** For transactions that this node selects for a block. */
  readonly selected: SenderCheck | undefined
  /** For transactions of blocks by other nodes. */
  readonly received: SenderCheck | undefined
}
