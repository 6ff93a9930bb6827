import type { HaltReason } from '../../evm/engine.ts'

/**
 * What a halted frame is shown with in debug_traceTransaction and in trace files. What has no row goes by its own name.
 * @see reference: debug-and-trace section 2
 */
const DESCRIPTIONS: Readonly<Partial<Record<HaltReason, string>>> = {
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
}

/** An address that is in use takes all gas, and is told as that. */
export function haltName(halt: HaltReason): string {
  return halt === 'ADDRESS_COLLISION' ? 'INSUFFICIENT_GAS' : halt
}

export function haltDescription(halt: HaltReason): string {
  const name = haltName(halt)
  return DESCRIPTIONS[name as HaltReason] ?? name
}
