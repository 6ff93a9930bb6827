import type { Clock } from '../ports/host.ts'
import type { Engine } from './engine.ts'

/**
 * Loads the native engine.
 * @param clock tells when a time slice is over
 * @param module for hosts that may not compile at run time; undefined: it is compiled here
 */
export async function loadNativeEngine(clock: Clock, module?: WebAssembly.Module): Promise<Engine> {
  const [{ NativeEngine }, compiled] = await Promise.all([import('./native/engine.ts'), module ?? compileModule()])
  return new NativeEngine(clock, compiled)
}

async function compileModule(): Promise<WebAssembly.Module> {
  const { WASM_BASE64 } = await import('./native/wasmBase64.ts')
  return WebAssembly.compile(Uint8Array.from(atob(WASM_BASE64), (character) => character.charCodeAt(0)))
}
