import { REJECTION_ERRORS } from '../api/calls/failure.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import { NodeError } from '../primitives/errors.ts'
import { errorRow } from './errors.ts'

/** The error of a transaction that was admitted and then could not be executed. */
export function rejectionError({ code, message }: Rejection): NodeError {
  const own = errorRow(code) === undefined ? 'INVALID_PARAMS' : code
  return new NodeError({ code: REJECTION_ERRORS[code] ?? own }, message)
}
