/**
 * Fast hash and signature functions and precompiles in a page or a web worker.
 * @module
 */
import { compileNativeModule } from '../../src/evm/native/compileModule.ts'
import { installPrecompile } from '../../src/evm/precompiles/index.ts'
import { type FastCryptoReport, installFastCrypto } from '../shared/fastCrypto.ts'
import { loadCreateKeccak } from '../shared/hashWasm.ts'
import { montgomerySecp256k1 } from '../shared/montgomerySecp256k1.ts'
import { tinySecp256k1 } from '../shared/tinySecp256k1.ts'
import { createWasmBlake2f } from '../shared/wasmBlake2f.ts'
import type { BrowserCryptoOptions } from './contract.ts'

/** Has no effect if the page's security policy forbids compiling WebAssembly. */
export function installBrowserCrypto({ loadSecp256k1 }: BrowserCryptoOptions = {}): Promise<FastCryptoReport> {
  const library = loadSecp256k1 && { name: 'wasm', load: async () => tinySecp256k1(await loadSecp256k1()) }
  try {
    installPrecompile('BLAKE2F', createWasmBlake2f())
  } catch {}
  return installFastCrypto({
    loadNativeModule: compileNativeModule,
    loadCreateKeccak,
    secp256k1: library ? [library, montgomerySecp256k1] : [montgomerySecp256k1],
  })
}
