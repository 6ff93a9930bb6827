import { EVMError } from '@ethereumjs/evm'
import type { MessageResult } from '../evm.ts'
import type { HaltReason } from '../haltReason.ts'

const messages = EVMError.errorMessages

/** The EVM's messages → our reasons. All other messages come from precompiles. */
const REASONS: ReadonlyMap<string, HaltReason> = new Map<string, HaltReason>([
  [messages.OUT_OF_GAS, 'INSUFFICIENT_GAS'],
  [messages.CODESTORE_OUT_OF_GAS, 'INSUFFICIENT_GAS'],
  [messages.CODESIZE_EXCEEDS_MAXIMUM, 'CODE_TOO_LARGE'],
  [messages.INITCODE_SIZE_VIOLATION, 'CODE_TOO_LARGE'],
  [messages.STACK_UNDERFLOW, 'INSUFFICIENT_STACK_ITEMS'],
  [messages.STACK_OVERFLOW, 'TOO_MANY_STACK_ITEMS'],
  [messages.INVALID_OPCODE, 'INVALID_OPERATION'],
  [messages.STATIC_STATE_CHANGE, 'ILLEGAL_STATE_CHANGE'],
  [messages.CREATE_COLLISION, 'ADDRESS_COLLISION'],
  [messages.VALUE_OVERFLOW, 'INSUFFICIENT_BALANCE'],
  [messages.INSUFFICIENT_BALANCE, 'INSUFFICIENT_BALANCE'],
  [messages.INVALID_BYTECODE_RESULT, 'INVALID_CODE'],
  [messages.INVALID_EOF_FORMAT, 'INVALID_CODE'],
  [messages.REFUND_EXHAUSTED, 'INSUFFICIENT_GAS'],
])

/** @param isPrecompile whether the failed frame was a precompile */
export function haltReason(message: string, isPrecompile: boolean): HaltReason {
  // The message of a bad jump includes its position.
  if (message.startsWith(messages.INVALID_JUMP)) return 'INVALID_JUMP_DESTINATION'
  if (message === messages.OUT_OF_RANGE) return isPrecompile ? 'PRECOMPILE_ERROR' : 'INVALID_RETURN_DATA_BUFFER_ACCESS'
  return REASONS.get(message) ?? 'PRECOMPILE_ERROR'
}

/** How a call or creation ended. */
export type Ending = Pick<MessageResult, 'outcome' | 'halt'>

/**
 * @param error the EVM's message; undefined after success
 * @param paysForCode whether a creation fails when it cannot pay for its code (EIP-2); before, it succeeds without code
 */
export function endingOf(error: string | undefined, isPrecompile: boolean, paysForCode: boolean): Ending {
  if (error === undefined || (error === messages.CODESTORE_OUT_OF_GAS && !paysForCode)) return { outcome: 'success' }
  if (error === messages.REVERT && !isPrecompile) return { outcome: 'revert' }
  return { outcome: 'halt', halt: haltReason(error, isPrecompile) }
}
