import { installKeccak256 } from '../../../src/base/primitives/keccak.ts'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { createNativeKeccak } from '../../../src/evm/native/keccak.ts'

/** Installs the Keccak-256 that nodes have on every host with WebAssembly, once for each worker. */
export const keccakInstalled: Promise<void> = compileNativeModule().then((module) =>
  installKeccak256(createNativeKeccak(module)),
)
