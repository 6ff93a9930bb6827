/**
 * Domain errors with a number. Besu sends its own message instead of that of the domain error.
 * @see docs/reference/graphql.md sections 6 and 7
 * @module
 */
import { REJECTION_ERRORS } from '../api/calls/failure.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { SubmissionRefusal, SubmissionVerdict } from '../txpool/submission.ts'

export interface CodedError {
  readonly code: number
  readonly message: string
}

const INVALID_PARAMS: CodedError = { code: -32602, message: 'Invalid params' }

export const INTERNAL_ERROR: CodedError = { code: -32603, message: 'Internal error' }

const ERRORS: ReadonlyMap<string, CodedError> = new Map(
  Object.entries({
    INVALID_PARAMS,
    UNDECODABLE_TRANSACTION: INVALID_PARAMS,
    UNSUPPORTED_TRANSACTION_TYPE: INVALID_PARAMS,
    NONCE_TOO_LOW: { code: -32001, message: 'Nonce too low' },
    INVALID_TRANSACTION_SIGNATURE: { code: -32002, message: 'Invalid signature' },
    INTRINSIC_GAS_EXCEEDS_LIMIT: { code: -32003, message: 'Intrinsic gas exceeds gas limit' },
    TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE: { code: -32004, message: 'Upfront cost exceeds account balance' },
    EXCEEDS_BLOCK_GAS_LIMIT: { code: -32005, message: 'Transaction gas limit exceeds block gas limit' },
    RANGE_TOO_LARGE: { code: -32005, message: 'Requested range exceeds maximum RPC range limit' },
    NONCE_TOO_HIGH: { code: -32006, message: 'Nonce too high' },
    TX_SENDER_NOT_AUTHORIZED: { code: -32007, message: 'Sender account not authorized to send transactions' },
    CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE: { code: -32008, message: 'Initial sync is still in progress' },
    GAS_PRICE_TOO_LOW: { code: -32009, message: 'Gas price below configured minimum gas price' },
    WRONG_CHAIN_ID: { code: -32000, message: 'Wrong Chain ID in transaction signature' },
    REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED: {
      code: -32000,
      message: 'Signatures with replay protection are not supported',
    },
    TX_FEECAP_EXCEEDED: { code: -32000, message: 'Transaction fee cap exceeded' },
    EXECUTION_REVERTED: { code: -32000, message: 'Execution reverted' },
    READ_ONLY_NODE: { code: -32604, message: 'Method not available on a read-only node' },
    TRANSACTION_REFUSED: INTERNAL_ERROR,
  }),
)

/** undefined: the error has a message only. */
export function codedError(code: string): CodedError | undefined {
  return ERRORS.get(code)
}

/**
 * @returns hash of the accepted transaction, 32 bytes
 * @throws {NodeError} with the code of the refusal; TRANSACTION_REFUSED when that has no number
 */
export function acceptedHash(verdict: SubmissionVerdict): Uint8Array {
  if (verdict.kind === 'accepted') return verdict.hash
  const code = refusalCode(verdict)
  throw new NodeError({ code: ERRORS.has(code) ? code : 'TRANSACTION_REFUSED' }, verdict.error.message)
}

function refusalCode(refusal: SubmissionRefusal): string {
  return refusal.kind === 'unexecutable'
    ? (REJECTION_ERRORS[refusal.error.code] ?? refusal.error.code)
    : refusal.error.code
}
