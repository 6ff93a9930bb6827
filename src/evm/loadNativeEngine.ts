import type { Clock } from '../ports/host.ts'
import type { Engine } from './engine.ts'

/**
 * Loads the native engine.
 * @param clock tells when a time slice is over
 * @param module of hosts that have it compiled, or may not compile at run time; undefined: it is compiled here
 */
export async function loadNativeEngine(clock: Clock, module?: WebAssembly.Module): Promise<Engine> {
  const [{ NativeEngine }, compiled] = await Promise.all([import('./native/engine.ts'), module ?? compileModule()])
  return new NativeEngine(clock, compiled)
}

async function compileModule(): Promise<WebAssembly.Module> {
  const { compileNativeModule } = await import('./native/compileModule.ts')
  return compileNativeModule()
}
