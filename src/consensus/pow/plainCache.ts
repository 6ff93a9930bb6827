/** Ethash in JavaScript: the light algorithm for hosts that forbid compiling WebAssembly, and small datasets as a whole. */
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { type Dataset, fullDataset, type Hashimoto, hashimoto, lightDataset, MIX_WORDS, makeCache } from './ethash.ts'
import { type CacheSizes, type EpochHashes, type FoundNonce, type LightCache, nonceBytes } from './lightCache.ts'

/**
 * Computes a cache step by step.
 * @param seed 32 bytes
 * @yields the completed part, 0 to 1
 */
export function* plainCache({ cacheBytes, datasetBytes }: CacheSizes, seed: Uint8Array): Generator<number, LightCache> {
  return new PlainCache(lightDataset(yield* makeCache(cacheBytes, seed), datasetBytes))
}

/** Hashes by a complete dataset in JavaScript. */
export function plainHashes(dataset: Dataset): EpochHashes {
  return new PlainCache(dataset)
}

/** Like {@link plainCache} with the whole dataset, which must be small: its hashes are some hundred times faster. */
export function* smallCache({ cacheBytes, datasetBytes }: CacheSizes, seed: Uint8Array): Generator<number, LightCache> {
  return new PlainCache(fullDataset(lightDataset(yield* makeCache(cacheBytes, seed), datasetBytes)))
}

class PlainCache implements LightCache {
  readonly #dataset: Dataset

  constructor(dataset: Dataset) {
    this.#dataset = dataset
  }

  hashimoto(powHash: Uint8Array, nonce: Uint8Array): Hashimoto {
    return hashimoto(this.#dataset, powHash, nonce)
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

  writePages(first: number, to: Int32Array): void {
    const page = new Int32Array(MIX_WORDS)
    for (let at = 0; at < to.length; at += MIX_WORDS) {
      this.#dataset.read(first + at / MIX_WORDS, page)
      to.set(page, at)
    }
  }
}
