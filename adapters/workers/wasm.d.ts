/** The platform's bundler compiles a module that is imported this way. */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
