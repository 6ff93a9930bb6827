import type { Precompile } from '../precompiles/index.ts'

export type PrecompileOutcome =
  | { readonly output: Uint8Array; readonly gasLeft: bigint }
  | { readonly halt: 'INSUFFICIENT_GAS' | 'PRECOMPILE_ERROR' }

/**
 * Runs a precompile; a failure consumes all gas.
 * @throws {PrecompileNotLoaded} without side effects
 */
export function runPrecompile(precompile: Precompile, input: Uint8Array, gas: bigint): PrecompileOutcome {
  const cost = precompile.gasCost(input)
  if (cost > gas) return { halt: 'INSUFFICIENT_GAS' }
  const output = precompile.run(input)
  return output === undefined ? { halt: 'PRECOMPILE_ERROR' } : { output, gasLeft: gas - cost }
}
