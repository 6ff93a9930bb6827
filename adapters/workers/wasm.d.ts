/** The platform's bundlers compile modules that are imported like this. */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
