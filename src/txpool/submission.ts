/**
 * The way of a transaction into the chain: decoded, admitted to the pool, mined at once where sealing is instant, else
 * kept for a restart. Refusals are verdicts, not exceptions.
 * @module
 */
import type { Rejection } from '../chain/transition/rejection.ts'
import type { Residency } from '../ports/keyValueStore.ts'
import type { YieldToHost } from '../ports/yieldToHost.ts'
import { isNodeError } from '../primitives/errors.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { NetworkTransaction } from '../types/blobSidecar.ts'
import type { Transaction } from '../types/transaction.ts'
import type { AdmissionError } from './admission.ts'
import { type SidecarVerification, verifySidecar } from './blobs.ts'
import type { Candidate, PooledTransaction } from './contract.ts'
import { decodeSubmission } from './decode.ts'
import type { LocalJournal } from './localJournal.ts'
import type { TransactionPool } from './transactionPool.ts'

/** Why the bytes are not a transaction. */
export interface DecodingError {
  /** INVALID_PARAMS, UNDECODABLE_TRANSACTION or UNSUPPORTED_TRANSACTION_TYPE */
  readonly code: string
  readonly message: string
  /** A legacy `v` that does not exist. */
  readonly v?: bigint | undefined
}

export type SubmissionRefusal =
  | { readonly kind: 'undecodable'; readonly error: DecodingError }
  /** The pool does not admit it. */
  | { readonly kind: 'refused'; readonly error: AdmissionError }
  /** Admitted, and then found not to be executable. */
  | { readonly kind: 'unexecutable'; readonly error: Rejection }

export type SubmissionVerdict =
  /** Committed in a block where sealing is instant, else kept in the pool. `hash`: 32 bytes */
  { readonly kind: 'accepted'; readonly hash: Uint8Array } | SubmissionRefusal

/** The way of a transaction from a client into the chain. */
export interface TransactionSubmission {
  /** @param raw in the form that a client sends: canonical, or with blobs */
  submitRaw(raw: Uint8Array): Promise<SubmissionVerdict>
  /**
   * The same for a transaction that was made here.
   * @param impersonatedSender taken as the sender whatever the signature says (dev chain)
   */
  submit(transaction: Transaction, impersonatedSender?: Uint8Array): Promise<SubmissionVerdict>
}

/** What becomes of an admitted transaction where blocks are made at once. */
export type Settlement =
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
  /** undefined where nothing is mined at once. */
  readonly settle?: (pooled: PooledTransaction) => Settlement | Promise<Settlement>
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
    const candidate: Candidate = { transaction, sidecar, isLocal: true }
    // Proofs take long to verify: a transaction that is refused for another reason does not get there.
    const { pool, residency, yieldToHost, verifySidecar: verify } = this.#options
    const error = await retryMisses(() => pool.check(candidate), residency)
    if (error !== undefined) return { kind: 'refused', error }
    try {
      await (verify?.(transaction, sidecar) ?? verifySidecar(transaction, sidecar, yieldToHost))
    } catch (error) {
      for (const code of ['INVALID_BLOB_SIDECAR', 'TRANSACTION_POOL_FULL'] as const) {
        if (isNodeError(error, code)) return { kind: 'refused', error: { code, message: error.message } }
      }
      throw error
    }
    return this.#admit(candidate)
  }

  submit(transaction: Transaction, impersonatedSender?: Uint8Array): Promise<SubmissionVerdict> {
    return this.#admit({
      transaction,
      isLocal: true,
      ...(impersonatedSender === undefined ? {} : { impersonatedSender }),
    })
  }

  async #admit(candidate: Candidate): Promise<SubmissionVerdict> {
    const { pool, journal, residency, settle } = this.#options
    const verdict =
      residency === undefined ? pool.admit(candidate) : await retryMisses(() => pool.admit(candidate), residency)
    if (verdict.kind === 'refused') return verdict
    const { pooled } = verdict
    const { hash } = pooled
    const outcome = await settle?.(pooled)
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
