import type { HaltReason } from '../evm/evm.ts'

const TEXTS: Readonly<Record<HaltReason, string>> = {
  INSUFFICIENT_GAS: 'Out of gas',
  INSUFFICIENT_STACK_ITEMS: 'Stack underflow',
  TOO_MANY_STACK_ITEMS: 'Out of stack',
  INVALID_JUMP_DESTINATION: 'Bad jump destination',
  INVALID_OPERATION: 'Bad instruction',
  INVALID_RETURN_DATA_BUFFER_ACCESS: 'Out of bounds',
  OUT_OF_BOUNDS: 'Out of bounds',
  ILLEGAL_STATE_CHANGE: 'Illegal state change',
  CODE_TOO_LARGE: 'Code is too large',
  INVALID_CODE: 'Code is invalid',
  PRECOMPILE_ERROR: 'Precompile error',
  // All the gas is gone, as if it had been used up.
  ADDRESS_COLLISION: 'Out of gas',
  INSUFFICIENT_BALANCE: 'Out of gas',
  NONCE_OVERFLOW: 'Out of gas',
}

/** As debug_traceTransaction names it: an address that is in use takes all gas, and is told as that. */
export function haltName(halt: HaltReason): string {
  return halt === 'ADDRESS_COLLISION' ? 'INSUFFICIENT_GAS' : halt
}

/**
 * Why a frame halted, as trace_* and trace files say it.
 * @see reference: debug-and-trace section 2
 */
export function haltDescription(halt: HaltReason): string {
  return TEXTS[halt]
}
