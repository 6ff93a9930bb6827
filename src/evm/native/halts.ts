import type { HaltReason } from '../haltReason.ts'
import {
  HALT_CODE_TOO_LARGE,
  HALT_INVALID_JUMP,
  HALT_INVALID_OPCODE,
  HALT_OUT_OF_GAS,
  HALT_RETURN_DATA_BOUNDS,
  HALT_STACK_OVERFLOW,
  HALT_STACK_UNDERFLOW,
  HALT_STATIC_STATE_CHANGE,
} from './assembly/layout.ts'

/** Set only by the host; the module does not interpret it. */
export const HALT_INVALID_CODE = 64

const REASONS: ReadonlyMap<number, HaltReason> = new Map<number, HaltReason>([
  [HALT_OUT_OF_GAS, 'INSUFFICIENT_GAS'],
  [HALT_STACK_UNDERFLOW, 'INSUFFICIENT_STACK_ITEMS'],
  [HALT_STACK_OVERFLOW, 'TOO_MANY_STACK_ITEMS'],
  [HALT_INVALID_JUMP, 'INVALID_JUMP_DESTINATION'],
  [HALT_INVALID_OPCODE, 'INVALID_OPERATION'],
  [HALT_RETURN_DATA_BOUNDS, 'INVALID_RETURN_DATA_BUFFER_ACCESS'],
  [HALT_STATIC_STATE_CHANGE, 'ILLEGAL_STATE_CHANGE'],
  [HALT_CODE_TOO_LARGE, 'CODE_TOO_LARGE'],
  [HALT_INVALID_CODE, 'INVALID_CODE'],
])

/** @param halt HALT_* */
export function haltReason(halt: number): HaltReason {
  return REASONS.get(halt) ?? 'INVALID_OPERATION'
}
