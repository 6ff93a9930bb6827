import type { Clock } from '../base/ports/host.ts'
import type { Random } from '../base/ports/random.ts'
import type { Evm } from './evm.ts'

/**
 * Loads the native EVM.
 * @param clock measures time slices
 * @param random seeds the hash tables
 * @param module compiled module of hosts that cannot compile at run time or have done so already; undefined to compile
 *   it here
 * @param memoryBytes of all calls together. Default: MAX_EXECUTION_MEMORY_BYTES
 */
export async function loadNativeEvm(
  clock: Clock,
  random: Random,
  module?: WebAssembly.Module,
  memoryBytes?: number,
): Promise<Evm> {
  const [{ NativeEvm }, compiled] = await Promise.all([import('./native/evm.ts'), module ?? compileModule()])
  return new NativeEvm(clock, random, compiled, memoryBytes)
}

async function compileModule(): Promise<WebAssembly.Module> {
  const { compileNativeModule } = await import('./native/compileModule.ts')
  return compileNativeModule()
}
