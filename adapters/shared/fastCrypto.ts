/**
 * Replaces the portable hash and signature functions with the fastest ones that work on this host. Candidates that are
 * missing, broken, blocked by the platform or wrong are skipped silently, because the portable functions always work.
 * @module
 */

import type { WasmModule } from '../../src/base/ports/webTypes.ts'
import { installKeccak256 } from '../../src/base/primitives/keccak.ts'
import { installSecp256k1, type Secp256k1 } from '../../src/base/primitives/secp256k1.ts'
import { createNativeKeccak } from '../../src/evm/native/keccak.ts'

/** The used part of a hash-wasm hasher. */
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
  /** The native EVM's module, which has the fastest Keccak-256. */
  loadNativeModule(): Promise<WasmModule>
  /** For Keccak-512, and for Keccak-256 where the native module does not compile. */
  loadCreateKeccak?(): Promise<CreateKeccak>
  /** Default: true. Without it, nothing is loaded where the native module compiles. */
  readonly needsKeccak512?: boolean
  /** Fastest first; the first candidate that loads and computes correctly is used. */
  readonly secp256k1: readonly Secp256k1Candidate[]
}

/** The implementations in use. */
export interface FastCryptoReport {
  readonly keccak: string
  readonly secp256k1: string
  readonly elapsedMs: number
  /** For the native EVM as well; undefined when it does not compile. */
  readonly nativeModule: WasmModule | undefined
}

const NATIVE = 'native'
/** The implementation that every host has, in a report. */
export const PORTABLE = 'noble'

export async function installFastCrypto(sources: FastCryptoSources): Promise<FastCryptoReport> {
  const start = performance.now()
  const native = sources.loadNativeModule().catch(() => undefined)
  const [keccak, secp256k1] = await Promise.all([installFastKeccak(native, sources), installFirst(sources.secp256k1)])
  return { keccak, secp256k1, elapsedMs: performance.now() - start, nativeModule: await native }
}

/** The native module has no Keccak-512. */
async function installFastKeccak(
  native: Promise<WasmModule | undefined>,
  { loadCreateKeccak, needsKeccak512 = true }: FastCryptoSources,
): Promise<string> {
  const load = (): Promise<CreateKeccak | undefined> | undefined => loadCreateKeccak?.().catch(() => undefined)
  const early = needsKeccak512 ? load() : undefined
  const isNative = installNativeKeccak(await native)
  const createKeccak = await (needsKeccak512 || isNative ? early : load())
  if (createKeccak === undefined) return isNative ? NATIVE : PORTABLE
  try {
    const { installKeccak512 } = await import('../../src/consensus/pow/keccak512.ts')
    installKeccak512(hashWith(await createKeccak(512)))
    if (isNative) return NATIVE
    installKeccak256(hashWith(await createKeccak(256)))
    return 'hash-wasm'
  } catch {
    return isNative ? NATIVE : PORTABLE
  }
}

function installNativeKeccak(module: WasmModule | undefined): boolean {
  if (module === undefined) return false
  try {
    const { hash, hashInto } = createNativeKeccak(module)
    installKeccak256(hash, hashInto)
    return true
  } catch {
    return false
  }
}

/**
 * One hasher serves all calls: each call ends before the next begins, and `init` discards the state of one that threw.
 */
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
