import { MAX_CALL_BATCHES } from '../base/limits/limits.ts'

/** Calls that a page has sent together, as transactions in order or as one. */
export interface CallBatch {
  readonly id: string
  /** Number of transactions that the calls need. */
  readonly transactions: number
  /** Whether the calls are one transaction. */
  readonly isAtomic: boolean
  /** Whether all transactions were sent that can be. */
  readonly isSent: boolean
  /** Of the transactions that were sent; fewer than `transactions` when one could not be sent. 32 bytes each. */
  readonly hashes: readonly Uint8Array[]
}

/** The newest batches, by id. */
export class CallBatches {
  readonly #batches = new Map<string, CallBatch>()

  get(id: string): CallBatch | undefined {
    return this.#batches.get(id)
  }

  remove(id: string): void {
    this.#batches.delete(id)
  }

  /** Adds a batch, or replaces that of the same id. */
  put(batch: CallBatch): void {
    this.#batches.set(batch.id, batch)
    const [oldest] = this.#batches.keys()
    if (this.#batches.size > MAX_CALL_BATCHES && oldest !== undefined) this.#batches.delete(oldest)
  }
}
