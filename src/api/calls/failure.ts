/**
 * Errors of simulated calls.
 * @module
 */

import { NodeError } from '../../base/primitives/errors.ts'
import type { RejectionCode } from '../../chain/transition/rejection.ts'
import type { MessageResult } from '../../evm/evm.ts'
import type { HaltReason } from '../../evm/haltReason.ts'
import type { CallOutcome } from './contract.ts'

/** Messages that client libraries recognize. */
const HALT_TEXTS: Readonly<Record<HaltReason, string>> = {
  INSUFFICIENT_GAS: 'out of gas',
  INSUFFICIENT_STACK_ITEMS: 'stack underflow',
  TOO_MANY_STACK_ITEMS: 'stack limit reached',
  INVALID_JUMP_DESTINATION: 'invalid jump destination',
  INVALID_OPERATION: 'invalid opcode',
  INVALID_RETURN_DATA_BUFFER_ACCESS: 'return data out of bounds',
  OUT_OF_BOUNDS: 'gas uint64 overflow',
  ILLEGAL_STATE_CHANGE: 'write protection',
  CODE_TOO_LARGE: 'max code size exceeded',
  INVALID_CODE: 'invalid code: must not begin with 0xef',
  PRECOMPILE_ERROR: 'precompile failed',
  ADDRESS_COLLISION: 'contract address collision',
  INSUFFICIENT_BALANCE: 'insufficient balance for transfer',
  NONCE_OVERFLOW: 'nonce uint64 overflow',
}

/** Error codes of calls that are not valid transactions; INVALID_PARAMS for all others. */
export const REJECTION_ERRORS: Readonly<Partial<Record<RejectionCode, string>>> = {
  INTRINSIC_GAS_TOO_LOW: 'INTRINSIC_GAS_EXCEEDS_LIMIT',
  FLOOR_GAS_TOO_LOW: 'INTRINSIC_GAS_EXCEEDS_LIMIT',
  INSUFFICIENT_FUNDS: 'TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE',
  MAX_FEE_TOO_LOW: 'FEE_CAP_BELOW_BASE_FEE',
  PRIORITY_FEE_ABOVE_MAX_FEE: 'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS',
}

export function haltText(halt: HaltReason | undefined): string {
  return halt === undefined ? 'execution failed' : HALT_TEXTS[halt]
}

/** The reason why a call has no output; undefined after success. */
export function callFailure(outcome: CallOutcome): NodeError | undefined {
  if (outcome.kind === 'invalid') {
    const { code, message } = outcome.rejection
    return new NodeError({ code: REJECTION_ERRORS[code] ?? 'INVALID_PARAMS' }, message)
  }
  return messageFailure(outcome.result)
}

function messageFailure(result: MessageResult): NodeError | undefined {
  if (result.outcome === 'success') return undefined
  if (result.outcome === 'halt') return new NodeError({ code: 'EXECUTION_FAILED' }, haltText(result.halt))
  return new NodeError({ code: 'EXECUTION_REVERTED', data: result.output }, 'execution reverted')
}

type Executed = Extract<CallOutcome, { readonly kind: 'executed' }>

/** @throws {NodeError} unless the call succeeded */
export function requireSuccess(outcome: CallOutcome): Executed {
  const failure = callFailure(outcome)
  if (failure !== undefined) throw failure
  return outcome as Executed
}
