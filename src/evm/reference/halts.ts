import { EVMError } from '@ethereumjs/evm'
import type { HaltReason } from '../engine.ts'

const messages = EVMError.errorMessages

/** What the EVM says → our reason. Everything else comes from a precompile. */
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

/** @param isPrecompile the failed frame was a precompile */
export function haltReason(message: string, isPrecompile: boolean): HaltReason {
  // The message of a bad jump carries its place.
  if (message.startsWith(messages.INVALID_JUMP)) return 'INVALID_JUMP_DESTINATION'
  if (message === messages.OUT_OF_RANGE) return isPrecompile ? 'PRECOMPILE_ERROR' : 'INVALID_RETURN_DATA_BUFFER_ACCESS'
  return REASONS.get(message) ?? 'PRECOMPILE_ERROR'
}
