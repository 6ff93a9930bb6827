import { WASM_BASE64 } from './wasmBase64.ts'

/**
 * Compiles the embedded module, which is deflated in a page (adapters/server/build/pageModules.mjs).
 * @throws {WebAssembly.CompileError} also when the host forbids compiling or lacks SIMD
 */
export async function compileNativeModule(): Promise<WebAssembly.Module> {
  const deflated = Uint8Array.from(atob(WASM_BASE64), (character) => character.charCodeAt(0))
  const inflated = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate'))
  return WebAssembly.compile(await new Response(inflated).arrayBuffer())
}
