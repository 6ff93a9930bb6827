/**
 * Selects transactions of the pool for a block under construction.
 * @module
 */
import type { BlockCandidate, BlockCandidates } from '../chain/transition/buildInput.ts'
import type { Rejection, RejectionCode } from '../chain/transition/rejection.ts'
import type { BlockBudget } from '../chain/transition/validateTransaction.ts'
import type { PooledTransaction, TransactionQueue } from '../txpool/contract.ts'
import type { StoredReceipt } from '../types/receipt.ts'

/** Minimum gas of a transaction. */
const MIN_TRANSACTION_GAS = 21_000n

/** Rejections that may not apply to a later block. */
const PASSING: ReadonlySet<RejectionCode> = new Set([
  'NONCE_TOO_HIGH',
  'MAX_FEE_TOO_LOW',
  'BLOB_FEE_TOO_LOW',
  'BLOCK_GAS_LIMIT_REACHED',
  'BLOCK_SIZE_LIMIT_REACHED',
  'TOO_MANY_BLOBS',
])

export interface PoolCandidatesOptions {
  readonly queue: TransactionQueue
  /** Maximum number of transactions in the block. */
  readonly limit: number
  /** Called for a transaction that cannot be in any block on the current state. */
  onRefused(pooled: PooledTransaction, rejection: Rejection): void
}

export class PoolCandidates implements BlockCandidates {
  readonly #options: PoolCandidatesOptions
  #count = 0

  constructor(options: PoolCandidatesOptions) {
    this.#options = options
  }

  next({ gasLeft }: BlockBudget): PooledTransaction | undefined {
    if (this.#count >= this.#options.limit || gasLeft < MIN_TRANSACTION_GAS) return undefined
    return this.#options.queue.peek()
  }

  included(_candidate: BlockCandidate, _receipt: StoredReceipt): void {
    this.#count++
    this.#options.queue.shift()
  }

  refused(candidate: BlockCandidate, rejection: Rejection): void {
    this.#options.queue.skipSender()
    if (!PASSING.has(rejection.code)) this.#options.onRefused(candidate as PooledTransaction, rejection)
  }
}
