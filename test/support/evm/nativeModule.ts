import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { createNativeKeccak, type NativeKeccak } from '../../../src/evm/native/keccak.ts'

/** The native EVM, compiled once for each worker: a test may open many chains. */
export const nativeModule: Promise<WebAssembly.Module> = compileNativeModule()

/** The Keccak-256 that nodes have on every host with WebAssembly. */
export const nativeKeccak: Promise<NativeKeccak> = nativeModule.then(createNativeKeccak)
