/**
 * Fast hash and signature functions and precompiles in a page or a web worker.
 * @module
 */
import type { WasmModule } from '../../src/base/ports/webTypes.ts'
import { installSecp256k1 } from '../../src/base/primitives/secp256k1.ts'
import { awaitPrecompile } from '../../src/evm/precompiles/index.ts'
import { type FastCryptoReport, installFastCrypto, PORTABLE } from '../shared/fastCrypto.ts'
import { loadCreateKeccak } from '../shared/hashWasm.ts'
import { tinySecp256k1 } from '../shared/tinySecp256k1.ts'
import type { BrowserCryptoOptions } from './contract.ts'

/**
 * Has no effect if the page's security policy forbids compiling WebAssembly.
 * @param native the module of the EVM, which has the fastest Keccak-256
 * @param usesEthash whether the chain needs Keccak-512
 */
export function installBrowserCrypto(
  native: Promise<WasmModule>,
  { loadSecp256k1 }: BrowserCryptoOptions = {},
  usesEthash = false,
): Promise<FastCryptoReport> {
  const library = loadSecp256k1 && { name: 'wasm', load: async () => tinySecp256k1(await loadSecp256k1()) }
  awaitPrecompile('BLAKE2F', async () => (await import('../shared/wasmBlake2f.ts')).createWasmBlake2f())
  return installFastCrypto({
    loadNativeModule: () => native,
    loadCreateKeccak,
    needsKeccak512: usesEthash,
    secp256k1: library ? [library] : [],
  })
}

/** Loads a faster recovery of senders, unless the page has given a library. Without it, recovery is only slower. */
export async function installFastRecovery({ secp256k1 }: Pick<FastCryptoReport, 'secp256k1'>): Promise<void> {
  if (secp256k1 !== PORTABLE) return
  try {
    const { montgomerySecp256k1 } = await import('../shared/montgomerySecp256k1.ts')
    installSecp256k1(await montgomerySecp256k1.load())
  } catch {}
}
