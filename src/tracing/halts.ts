import type { HaltReason } from '../evm/haltReason.ts'

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
  // An address collision consumes all gas, so Besu reports it as running out of gas.
  ADDRESS_COLLISION: 'Out of gas',
  INSUFFICIENT_BALANCE: 'Out of gas',
  NONCE_OVERFLOW: 'Out of gas',
}

/** The name of a halt in debug_traceTransaction. An address collision is reported like running out of gas. */
export function haltName(halt: HaltReason): string {
  return halt === 'ADDRESS_COLLISION' ? 'INSUFFICIENT_GAS' : halt
}

/**
 * The description of a halt in trace_* and trace files.
 * @see docs/reference/debug-and-trace.md section 2
 */
export function haltDescription(halt: HaltReason): string {
  return TEXTS[halt]
}
