/**
 * Selects transactions of the pool for a block under construction.
 * @module
 */
import { effectiveGasPrice } from '../chain/fees.ts'
import type { PlannedTransaction, TransactionSource } from '../chain/transition/buildInput.ts'
import type { Rejection, RejectionCode } from '../chain/transition/rejection.ts'
import type { BlockBudget } from '../chain/transition/validateTransaction.ts'
import type { PooledTransaction, TransactionQueue } from '../txpool/contract.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import type { SlowTransactions } from './slowTransactions.ts'

/** Minimum gas of a transaction. */
const MIN_TRANSACTION_GAS = 21_000n

/** Rejections that may not apply to a later block. */
const PASSING: ReadonlySet<RejectionCode> = new Set([
  'NONCE_TOO_HIGH',
  'MAX_FEE_TOO_LOW',
  'BLOB_FEE_TOO_LOW',
  'BLOCK_GAS_LIMIT_REACHED',
  'BLOCK_SIZE_LIMIT_REACHED',
  'BLOCK_TIME_LIMIT_REACHED',
  'TOO_MANY_BLOBS',
])

export interface PoolSourceOptions {
  readonly queue: TransactionQueue
  /** Maximum number of transactions in the block. */
  readonly limit: number
  /**
   * The block is complete when the next transaction exceeds its gas and this fraction of its gas is used. Default: other
   * transactions are tried.
   */
  readonly minOccupancyRatio?: number
  /** Minimum price of remote transactions whose price depends on the base fee; default: none. */
  readonly minRemotePrice?: {
    /** wei */
    readonly minGasPrice: bigint
    /** wei; undefined before London */
    readonly baseFeePerGas: bigint | undefined
  }
  /** Transactions to skip; default: none. */
  readonly slow?: SlowTransactions
  /** Called for a transaction that cannot be in any block on the current state. */
  onRefused(pooled: PooledTransaction, rejection: Rejection): void
}

export class PoolSource implements TransactionSource {
  readonly #options: PoolSourceOptions
  #count = 0
  #gasLimit: bigint | undefined
  #gasLeft = 0n
  #isFull = false

  constructor(options: PoolSourceOptions) {
    this.#options = options
  }

  next({ gasLeft }: BlockBudget): PooledTransaction | undefined {
    this.#gasLimit ??= gasLeft
    this.#gasLeft = gasLeft
    if (this.#isFull || this.#count >= this.#options.limit || gasLeft < MIN_TRANSACTION_GAS) return undefined
    const { queue, slow } = this.#options
    for (;;) {
      const pooled = queue.peek()
      if (pooled === undefined) return undefined
      if (!this.#isTooCheap(pooled) && slow?.has(pooled.hash) !== true) return pooled
      queue.skipSender()
    }
  }

  included(_planned: PlannedTransaction, _receipt: StoredReceipt): void {
    this.#count++
    this.#options.queue.shift()
  }

  refused(planned: PlannedTransaction, rejection: Rejection): void {
    this.#options.queue.skipSender()
    if (rejection.code === 'BLOCK_GAS_LIMIT_REACHED') this.#isFull = this.#isOccupied()
    if (!PASSING.has(rejection.code)) this.#options.onRefused(planned as PooledTransaction, rejection)
  }

  #isOccupied(): boolean {
    const { minOccupancyRatio } = this.#options
    if (minOccupancyRatio === undefined || this.#gasLimit === undefined) return false
    return Number(this.#gasLimit - this.#gasLeft) >= minOccupancyRatio * Number(this.#gasLimit)
  }

  #isTooCheap({ transaction, isLocal }: PooledTransaction): boolean {
    const { minRemotePrice } = this.#options
    if (minRemotePrice === undefined || isLocal || transaction.type < 2) return false
    return effectiveGasPrice(transaction, minRemotePrice.baseFeePerGas) < minRemotePrice.minGasPrice
  }
}
