import type { Clock } from '../ports/host.ts'
import type { Evm } from './evm.ts'

/**
 * Loads the reference EVM. Its packages are large, so they are loaded only with the first execution.
 * @param clock measures time slices
 */
export async function loadReferenceEvm(clock: Clock): Promise<Evm> {
  const { createReferenceEvm } = await import('./reference/evm.ts')
  return createReferenceEvm(clock)
}
