const BUILT_IN_FAILED = 'Built-in failed'
const OUT_OF_GAS = 'Out of gas'

const PARITY_ERRORS: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', OUT_OF_GAS],
  ['out of gas', OUT_OF_GAS],
  ['max code size exceeded', OUT_OF_GAS],
  ['invalid jump destination', 'Bad jump destination'],
  ['execution reverted', 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', BUILT_IN_FAILED],
  ['invalid input length', BUILT_IN_FAILED],
])

/** Errors with variable text, matched by their beginning. */
const PARITY_ERRORS_BY_START: readonly (readonly [start: string, error: string])[] = [
  ['invalid opcode', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
  ['out of gas:', OUT_OF_GAS],
]

/** Converts a go-ethereum error to Parity's text; errors unknown to Parity stay unchanged. */
export function parityError(error: string): string {
  return PARITY_ERRORS.get(error) ?? PARITY_ERRORS_BY_START.find(([start]) => error.startsWith(start))?.[1] ?? error
}
