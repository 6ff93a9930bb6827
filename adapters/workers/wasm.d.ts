/** Bundlers of the platform compile what is imported like this. */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
