/**
 * The only conversion of verdicts on submitted transactions to errors.
 * @module
 */
import { REJECTION_ERRORS } from '../../../api/calls/failure.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { SubmissionRefusal, SubmissionVerdict } from '../../../txpool/submission.ts'
import { errorRow } from '../../errors.ts'

/**
 * @returns hash of the accepted transaction, 32 bytes
 * @throws {NodeError} with the code of the refusal
 */
export function acceptedHash(verdict: SubmissionVerdict): Uint8Array {
  if (verdict.kind === 'accepted') return verdict.hash
  throw refusalError(verdict)
}

export function refusalError(refusal: SubmissionRefusal): NodeError {
  return new NodeError({ code: refusalCode(refusal) }, refusal.error.message)
}

/** Code of the row of the error table. */
export function refusalCode(refusal: SubmissionRefusal): string {
  if (refusal.kind !== 'unexecutable') return refusal.error.code
  const { code } = refusal.error
  return REJECTION_ERRORS[code] ?? (errorRow(code) === undefined ? 'INVALID_PARAMS' : code)
}
