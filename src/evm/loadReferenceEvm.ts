import type { Clock } from '../base/ports/host.ts'
import { loadWithEthereumJs } from '../base/primitives/optionalPackage.ts'
import type { Evm } from './evm.ts'

/**
 * Loads the reference EVM. Its packages are large, so they are loaded only with the first execution.
 * @param clock measures time slices
 * @throws {NodeError} MISSING_PACKAGE
 */
export async function loadReferenceEvm(clock: Clock): Promise<Evm> {
  const { createReferenceEvm } = await loadWithEthereumJs(() => import('./reference/evm.ts'), '--evm=reference')
  return createReferenceEvm(clock)
}
