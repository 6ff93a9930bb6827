/**
 * Fast hash and signature functions and precompiles on Node, Deno and Bun.
 * @module
 */
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { type FastCryptoReport, installFastCrypto, type Secp256k1Candidate } from '../../shared/fastCrypto.ts'
import { loadCreateKeccak } from '../../shared/hashWasm.ts'
import { montgomerySecp256k1 } from '../../shared/montgomerySecp256k1.ts'
import { tinySecp256k1 } from '../../shared/tinySecp256k1.ts'
import { deferNativeSecp256k1, loadNativeSecp256k1 } from './nativeSecp256k1.ts'
import { deferNodePrecompiles, installNodePrecompiles } from './precompiles.ts'

const CANDIDATES: readonly Secp256k1Candidate[] = [
  { name: 'native', load: loadNativeSecp256k1 },
  { name: 'wasm', load: async () => tinySecp256k1(await import('tiny-secp256k1')) },
  montgomerySecp256k1,
]

/**
 * Takes about 20 ms, most of it spent waiting for files; run it in parallel with other start-up work, before the node
 * is created.
 */
export function installNodeCrypto(): Promise<FastCryptoReport> {
  const installed = installFastCrypto({
    loadNativeModule: compileNativeModule,
    loadCreateKeccak,
    secp256k1: CANDIDATES,
  })
  // Runs while the files are read.
  installNodePrecompiles()
  return installed
}

/**
 * Installs what a node needs to start. Signatures and precompiles are loaded later, if the host can load them
 * synchronously. Ethash has its Keccak-512 in its own WebAssembly module.
 */
export function installStartCrypto(): Promise<FastCryptoReport> {
  const isDeferred = deferNativeSecp256k1()
  deferNodePrecompiles()
  return installFastCrypto({
    loadNativeModule: compileNativeModule,
    secp256k1: isDeferred ? [] : CANDIDATES,
  })
}
