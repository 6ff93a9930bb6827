import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { PlannedTransaction, TransactionSource } from '../chain/transition/buildInput.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import { transactionHash } from '../types/transactionCodec.ts'
import type { DevTransaction } from './contract.ts'

/** Transactions that a block must include, in order. */
export class GivenTransactions implements TransactionSource {
  readonly #planned: readonly PlannedTransaction[]
  #next = 0

  constructor(transactions: readonly DevTransaction[]) {
    this.#planned = transactions.map((given) => ({ ...given, hash: transactionHash(given.transaction) }))
  }

  next(): PlannedTransaction | undefined {
    return this.#planned[this.#next]
  }

  included(): void {
    this.#next++
  }

  /** @throws {NodeError} INVALID_PARAMS */
  refused({ hash }: PlannedTransaction, { message }: Rejection): void {
    throw new NodeError({ code: 'INVALID_PARAMS' }, `transaction ${bytesToHex(hash)} cannot be included: ${message}`)
  }
}
