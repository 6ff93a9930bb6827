import type { Clock } from '../ports/host.ts'
import type { Evm } from './evm.ts'

/**
 * Loads the reference engine. Its packages are large, so nothing of them is loaded before the first execution.
 * @param clock tells when a time slice is over
 */
export async function loadReferenceEvm(clock: Clock): Promise<Evm> {
  const { createReferenceEvm } = await import('./reference/evm.ts')
  return createReferenceEvm(clock)
}
