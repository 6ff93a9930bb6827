import type { Clock } from '../ports/host.ts'
import type { Evm } from './evm.ts'

/**
 * Loads the native engine.
 * @param clock tells when a time slice is over
 * @param module of hosts that have it compiled, or may not compile at run time; undefined: it is compiled here
 */
export async function loadNativeEvm(clock: Clock, module?: WebAssembly.Module): Promise<Evm> {
  const [{ NativeEvm }, compiled] = await Promise.all([import('./native/evm.ts'), module ?? compileModule()])
  return new NativeEvm(clock, compiled)
}

async function compileModule(): Promise<WebAssembly.Module> {
  const { compileNativeModule } = await import('./native/compileModule.ts')
  return compileNativeModule()
}
