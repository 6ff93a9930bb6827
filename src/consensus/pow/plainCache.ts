/** The light algorithm in JavaScript, for hosts that forbid compiling WebAssembly. */
import { bytesToBigInt } from '../../primitives/bytes.ts'
import { type Hashimoto, hashimoto, makeCache } from './ethash.ts'
import { type CacheSizes, type FoundNonce, type LightCache, nonceBytes } from './lightCache.ts'

/**
 * Computes a cache step by step.
 * @param seed 32 bytes
 * @yields the completed part, 0 to 1
 */
export function* plainCache({ cacheBytes, datasetBytes }: CacheSizes, seed: Uint8Array): Generator<number, LightCache> {
  return new PlainCache(yield* makeCache(cacheBytes, seed), datasetBytes)
}

class PlainCache implements LightCache {
  readonly #words: Int32Array
  readonly #datasetBytes: number

  constructor(words: Int32Array, datasetBytes: number) {
    this.#words = words
    this.#datasetBytes = datasetBytes
  }

  hashimoto(powHash: Uint8Array, nonce: Uint8Array): Hashimoto {
    return hashimoto(this.#words, this.#datasetBytes, powHash, nonce)
  }

  search(powHash: Uint8Array, target: Uint8Array, first: bigint, count: number): FoundNonce | undefined {
    const limit = bytesToBigInt(target)
    for (let i = 0; i < count; i++) {
      const nonce = nonceBytes(first + BigInt(i))
      const hash = this.hashimoto(powHash, nonce)
      if (bytesToBigInt(hash.result) <= limit) return { ...hash, nonce }
    }
    return undefined
  }
}
