/**
 * Fast hash and signature functions and precompiles on Node, Deno and Bun.
 * @module
 */
import { compileNativeModule } from '../../src/evm/native/compileModule.ts'
import {
  type CreateKeccak,
  type FastCryptoReport,
  installFastCrypto,
  type Secp256k1Candidate,
} from '../shared/fastCrypto.ts'
import { montgomerySecp256k1 } from '../shared/montgomerySecp256k1.ts'
import { tinySecp256k1 } from '../shared/tinySecp256k1.ts'
import { loadNativeSecp256k1 } from './nativeSecp256k1.ts'
import { installNodePrecompiles } from './precompiles.ts'

/** Only Keccak: the package's main entry contains every algorithm and takes 30 ms longer to load. */
const KECCAK_ENTRY: string = 'hash-wasm/dist/keccak.umd.min.js'

const CANDIDATES: readonly Secp256k1Candidate[] = [
  { name: 'native', load: loadNativeSecp256k1 },
  { name: 'wasm', load: async () => tinySecp256k1(await import('tiny-secp256k1')) },
  montgomerySecp256k1,
]

async function loadCreateKeccak(): Promise<CreateKeccak> {
  const { createKeccak }: { createKeccak: CreateKeccak } = (await import(KECCAK_ENTRY)).default
  return createKeccak
}

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
