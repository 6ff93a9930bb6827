import type { Clock } from '../ports/host.ts'
import type { Engine } from './engine.ts'

/**
 * Loads the reference engine. Its packages are large, so nothing of them is loaded before the first execution.
 * @param clock tells when a time slice is over
 */
export async function loadReferenceEngine(clock: Clock): Promise<Engine> {
  const { createReferenceEngine } = await import('./reference/engine.ts')
  return createReferenceEngine(clock)
}
