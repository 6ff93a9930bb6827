/**
 * Compiles the embedded module. Every call compiles again.
 * @throws {WebAssembly.CompileError} also when the host forbids compiling or lacks SIMD
 */
export async function compileNativeModule(): Promise<WebAssembly.Module> {
  const { WASM_BASE64 } = await import('./wasmBase64.ts')
  const text = atob(WASM_BASE64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i)
  return WebAssembly.compile(bytes)
}
