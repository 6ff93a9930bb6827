import type { Clock } from '../base/ports/host.ts'
import { loadWithEthereumJs } from '../base/primitives/optionalPackage.ts'
import type { Evm } from './evm.ts'

/** Loads an EVM. */
export type LoadEvm = (clock: Clock) => Promise<Evm>

/**
 * Loads the reference EVM. Its packages are large, so they are loaded only with the first execution. Hosts for pages do
 * not import this module: bundlers would look for the packages.
 * @param clock measures time slices
 * @throws {NodeError} MISSING_PACKAGE
 */
export async function loadReferenceEvm(clock: Clock): Promise<Evm> {
  const { createReferenceEvm } = await loadWithEthereumJs(() => import('./reference/evm.ts'), '--evm=reference')
  return createReferenceEvm(clock)
}
