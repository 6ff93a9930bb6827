/**
 * Replaces the portable hash and signature functions by the fastest ones that work on this host. What is missing,
 * broken, refused by the platform or wrong is passed over in silence: the portable ones are always there.
 * @module
 */
import { installKeccak512 } from '../../src/consensus/pow/keccak512.ts'
import { createNativeKeccak } from '../../src/evm/native/keccak.ts'
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
  /** The native engine's module, which has the fastest Keccak-256. */
  loadNativeModule(): Promise<WebAssembly.Module>
  loadCreateKeccak(): Promise<CreateKeccak>
  /** Fastest first; the first that loads and computes right is taken. */
  readonly secp256k1: readonly Secp256k1Candidate[]
}

/** What is in use afterwards. */
export interface FastCryptoReport {
  readonly keccak: string
  readonly secp256k1: string
  readonly elapsedMs: number
  /** For the engine as well; undefined where it does not compile. */
  readonly nativeModule: WebAssembly.Module | undefined
}

const NATIVE = 'native'
const PORTABLE = 'noble'

export async function installFastCrypto(sources: FastCryptoSources): Promise<FastCryptoReport> {
  const start = performance.now()
  const native = sources.loadNativeModule().catch(() => undefined)
  const [keccak, secp256k1] = await Promise.all([
    installFastKeccak(native, sources.loadCreateKeccak),
    installFirst(sources.secp256k1),
  ])
  return { keccak, secp256k1, elapsedMs: performance.now() - start, nativeModule: await native }
}

/** The native module has no Keccak-512. */
async function installFastKeccak(
  native: Promise<WebAssembly.Module | undefined>,
  load: () => Promise<CreateKeccak>,
): Promise<string> {
  const loading = load().catch(() => undefined)
  const isNative = installNativeKeccak(await native)
  const createKeccak = await loading
  if (createKeccak === undefined) return isNative ? NATIVE : PORTABLE
  try {
    installKeccak512(hashWith(await createKeccak(512)))
    if (isNative) return NATIVE
    installKeccak256(hashWith(await createKeccak(256)))
    return 'hash-wasm'
  } catch {
    return isNative ? NATIVE : PORTABLE
  }
}

function installNativeKeccak(module: WebAssembly.Module | undefined): boolean {
  if (module === undefined) return false
  try {
    installKeccak256(createNativeKeccak(module))
    return true
  } catch {
    return false
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
