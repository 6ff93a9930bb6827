/**
 * Submits a transaction: decodes it, admits it to the pool, and waits until it is mined if sealing is instant;
 * otherwise stores it for a restart. Refusals are verdicts, not exceptions.
 * @module
 */

import type { Residency } from '../base/ports/keyValueStore.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { NetworkTransaction } from '../types/blobSidecar.ts'
import type { Transaction } from '../types/transaction.ts'
import type { AdmissionError } from './admission.ts'
import type { SidecarVerification, verifySidecar } from './blobs.ts'
import type { IncomingTransaction, PooledTransaction } from './contract.ts'
import { decodeSubmission } from './decode.ts'
import type { LocalJournal } from './localJournal.ts'
import type { TransactionPool } from './transactionPool.ts'

/** Reason why bytes are not a transaction. */
export interface DecodingError {
  /** INVALID_PARAMS, UNDECODABLE_TRANSACTION or UNSUPPORTED_TRANSACTION_TYPE */
  readonly code: string
  readonly message: string
  /** An invalid legacy `v`. */
  readonly v?: bigint | undefined
}

export type SubmissionRefusal =
  | { readonly kind: 'undecodable'; readonly error: DecodingError }
  /** Refused by the pool. */
  | { readonly kind: 'refused'; readonly error: AdmissionError }
  /** Admitted, then found to be not executable. */
  | { readonly kind: 'unexecutable'; readonly error: Rejection }

export type SubmissionVerdict =
  /** Committed in a block if sealing is instant, otherwise in the pool. `hash`: 32 bytes */
  { readonly kind: 'accepted'; readonly hash: Uint8Array } | SubmissionRefusal

/** Submission of transactions to the chain. */
export interface TransactionSubmission {
  /** @param raw in submission form: canonical, or with blobs */
  submitRaw(raw: Uint8Array): Promise<SubmissionVerdict>
  /**
   * Submits a transaction created by the node.
   * @param impersonatedSender replaces the sender of the signature (dev chain)
   */
  submit(transaction: Transaction, impersonatedSender?: Uint8Array): Promise<SubmissionVerdict>
}

/** Result of an admitted transaction with instant sealing. */
export type AdmittedOutcome =
  | { readonly kind: 'mined' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly rejection: Rejection }

export interface SubmissionOptions {
  readonly pool: Pick<TransactionPool, 'admit' | 'byHash' | 'check'>
  readonly journal: Pick<LocalJournal, 'record'>
  /** Default: on the calling thread, in steps. */
  readonly verifySidecar?: SidecarVerification | undefined
  readonly yieldToHost: YieldToHost
  readonly residency?: Residency
  /** undefined without instant sealing. */
  readonly awaitMined?: (pooled: PooledTransaction) => AdmittedOutcome | Promise<AdmittedOutcome>
}

export class Submission implements TransactionSubmission {
  readonly #options: SubmissionOptions

  constructor(options: SubmissionOptions) {
    this.#options = options
  }

  async submitRaw(raw: Uint8Array): Promise<SubmissionVerdict> {
    const decoded = decode(raw)
    if ('kind' in decoded) return decoded
    const { transaction, sidecar } = decoded
    if (transaction.type !== 3 || sidecar === undefined) {
      return this.#admit({ transaction, encoding: raw, isLocal: true })
    }
    const incoming: IncomingTransaction = { transaction, sidecar, isLocal: true }
    // Verifying proofs is slow, so all other reasons for a refusal are checked first.
    const { pool, residency, yieldToHost, verifySidecar: verify } = this.#options
    const error = await retryMisses(() => pool.check(incoming), residency)
    if (error !== undefined) return { kind: 'refused', error }
    try {
      await (verify?.(transaction, sidecar) ?? verifyHere(transaction, sidecar, yieldToHost))
    } catch (error) {
      for (const code of ['INVALID_BLOB_SIDECAR', 'TRANSACTION_POOL_FULL'] as const) {
        if (isNodeError(error, code)) return { kind: 'refused', error: { code, message: error.message } }
      }
      throw error
    }
    return this.#admit(incoming)
  }

  submit(transaction: Transaction, impersonatedSender?: Uint8Array): Promise<SubmissionVerdict> {
    return this.#admit({
      transaction,
      isLocal: true,
      ...(impersonatedSender === undefined ? {} : { impersonatedSender }),
    })
  }

  async #admit(incoming: IncomingTransaction): Promise<SubmissionVerdict> {
    const { pool, journal, residency, awaitMined } = this.#options
    const verdict =
      residency === undefined ? pool.admit(incoming) : await retryMisses(() => pool.admit(incoming), residency)
    if (verdict.kind === 'refused') return verdict
    const { pooled } = verdict
    const { hash } = pooled
    const outcome = await awaitMined?.(pooled)
    if (outcome?.kind === 'refused') return { kind: 'unexecutable', error: outcome.rejection }
    if (outcome?.kind !== 'mined' && pool.byHash(hash) !== undefined) await journal.record(pooled)
    return { kind: 'accepted', hash }
  }
}

function decode(raw: Uint8Array): NetworkTransaction | Extract<SubmissionRefusal, { readonly kind: 'undecodable' }> {
  try {
    return decodeSubmission(raw)
  } catch (error) {
    if (!isNodeError(error)) throw error
    const { v } = error.details as { readonly v?: bigint }
    return { kind: 'undecodable', error: { code: error.code, message: error.message, v } }
  }
}

/** The code is loaded with the first blobs. */
async function verifyHere(...given: Parameters<typeof verifySidecar>): Promise<void> {
  const { verifySidecar } = await import('./blobs.ts')
  await verifySidecar(...given)
}
