/**
 * The way of a client's transaction: decoded, admitted to the pool, mined at once where sealing is instant, else kept
 * for a restart.
 * @module
 */

import type { Residency } from '../ports/keyValueStore.ts'
import type { YieldToHost } from '../ports/yieldToHost.ts'
import { rejectionError } from '../rpc/rejectionError.ts'
import type { SettleOutcome } from '../sealing/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { verifySidecar } from '../txpool/blobs.ts'
import type { Candidate, PooledTransaction, TransactionSubmission } from '../txpool/contract.ts'
import { decodeSubmission } from '../txpool/decode.ts'
import type { LocalJournal } from '../txpool/localJournal.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import type { Transaction } from '../types/transaction.ts'

export interface SubmissionOptions {
  readonly pool: Pick<TransactionPool, 'admit' | 'byHash' | 'check'>
  readonly journal: Pick<LocalJournal, 'record'>
  readonly yieldToHost: YieldToHost
  readonly residency?: Residency
  /** undefined where nothing is mined at once. */
  readonly settle?: (pooled: PooledTransaction) => SettleOutcome | Promise<SettleOutcome>
}

export class Submission implements TransactionSubmission {
  readonly #options: SubmissionOptions

  constructor(options: SubmissionOptions) {
    this.#options = options
  }

  async submitRaw(raw: Uint8Array): Promise<Uint8Array> {
    const { transaction, sidecar } = decodeSubmission(raw)
    if (transaction.type !== 3 || sidecar === undefined) return this.#admit({ transaction, isLocal: true })
    const candidate: Candidate = { transaction, sidecar, isLocal: true }
    // Proofs take long to verify: what is refused for another reason does not get there.
    await retryMisses(() => this.#options.pool.check(candidate), this.#options.residency)
    await verifySidecar(transaction, sidecar, this.#options.yieldToHost)
    return this.#admit(candidate)
  }

  submit(transaction: Transaction, impersonatedSender?: Uint8Array): Promise<Uint8Array> {
    return this.#admit({
      transaction,
      isLocal: true,
      ...(impersonatedSender === undefined ? {} : { impersonatedSender }),
    })
  }

  async #admit(candidate: Candidate): Promise<Uint8Array> {
    const { pool, journal, residency, settle } = this.#options
    const pooled =
      residency === undefined ? pool.admit(candidate) : await retryMisses(() => pool.admit(candidate), residency)
    const outcome = await settle?.(pooled)
    if (outcome?.kind === 'mined') return pooled.hash
    if (outcome?.kind === 'refused') throw rejectionError(outcome.rejection)
    if (pool.byHash(pooled.hash) !== undefined) await journal.record(pooled)
    return pooled.hash
  }
}
