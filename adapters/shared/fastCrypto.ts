/**
 * Replaces the portable hash and signature functions by the fastest ones that work on this host. What is missing,
 * broken, refused by the platform or wrong is passed over in silence: the portable ones are always there.
 * @module
 */
import { installKeccak512 } from '../../src/consensus/pow/keccak512.ts'
import { installKeccak256 } from '../../src/primitives/keccak.ts'
import { installSecp256k1, type Secp256k1 } from '../../src/primitives/secp256k1.ts'

/** The part of a hash-wasm hasher that is used here. */
interface WasmHasher {
  init(): unknown
  update(data: Uint8Array): unknown
  digest(outputType: 'binary'): Uint8Array
}

/** `createKeccak` of hash-wasm. */
export type CreateKeccak = (bits: 256 | 512) => Promise<WasmHasher>

export interface Secp256k1Candidate {
  readonly name: string
  load(): Promise<Partial<Secp256k1>>
}

export interface FastCryptoSources {
  loadCreateKeccak(): Promise<CreateKeccak>
  /** Fastest first; the first that loads and computes right is taken. */
  readonly secp256k1: readonly Secp256k1Candidate[]
}

/** What is in use afterwards. */
export interface FastCryptoReport {
  readonly keccak: string
  readonly secp256k1: string
  readonly elapsedMs: number
}

const PORTABLE = 'noble'

export async function installFastCrypto(sources: FastCryptoSources): Promise<FastCryptoReport> {
  const start = performance.now()
  const [keccak, secp256k1] = await Promise.all([
    installFastKeccak(sources.loadCreateKeccak),
    installFirst(sources.secp256k1),
  ])
  return { keccak, secp256k1, elapsedMs: performance.now() - start }
}

async function installFastKeccak(load: () => Promise<CreateKeccak>): Promise<string> {
  try {
    const createKeccak = await load()
    const [hasher256, hasher512] = await Promise.all([createKeccak(256), createKeccak(512)])
    installKeccak256(hashWith(hasher256))
    installKeccak512(hashWith(hasher512))
    return 'hash-wasm'
  } catch {
    return PORTABLE
  }
}

/** One hasher serves all calls: each is done before the next begins, and `init` forgets one that threw midway. */
function hashWith(hasher: WasmHasher): (data: Uint8Array) => Uint8Array {
  return (data) => {
    hasher.init()
    hasher.update(data)
    return hasher.digest('binary')
  }
}

async function installFirst(candidates: readonly Secp256k1Candidate[]): Promise<string> {
  for (const candidate of candidates) {
    try {
      installSecp256k1(await candidate.load())
      return candidate.name
    } catch {}
  }
  return PORTABLE
}
