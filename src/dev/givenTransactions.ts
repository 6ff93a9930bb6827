import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { BlockCandidate, BlockCandidates } from '../chain/transition/buildInput.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import { transactionHash } from '../types/transactionCodec.ts'
import type { DevTransaction } from './contract.ts'

/** Transactions that a block must include, in order. */
export class GivenTransactions implements BlockCandidates {
  readonly #candidates: readonly BlockCandidate[]
  #next = 0

  constructor(transactions: readonly DevTransaction[]) {
    this.#candidates = transactions.map((given) => ({ ...given, hash: transactionHash(given.transaction) }))
  }

  next(): BlockCandidate | undefined {
    return this.#candidates[this.#next]
  }

  included(): void {
    this.#next++
  }

  /** @throws {NodeError} INVALID_PARAMS */
  refused({ hash }: BlockCandidate, { message }: Rejection): void {
    throw new NodeError({ code: 'INVALID_PARAMS' }, `transaction ${bytesToHex(hash)} cannot be included: ${message}`)
  }
}
