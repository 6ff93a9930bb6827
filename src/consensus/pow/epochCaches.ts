/**
 * The ethash caches in use.
 * @module
 */
import { MAX_ETHASH_CACHES } from '../../config/limits.ts'
import type { SealTask } from '../../ports/sealSearch.ts'
import type { YieldToHost } from '../../ports/yieldToHost.ts'
import { cacheBytes, datasetBytes, type EpochPosition, epochAt, epochSeed, type Hashimoto } from './ethash.ts'
import type { CacheSizes, FoundNonce, LightCache } from './lightCache.ts'
import { plainCache, smallCache } from './plainCache.ts'
import { compileHashimoto, wasmCache } from './wasmCache.ts'

export interface EpochCachesOptions {
  /** Called during the computation of a cache: 0 to 1. It takes half a second or more. */
  readonly onProgress?: (position: EpochPosition, done: number) => void
  /** Ethash's test mode: all caches and datasets are tiny. */
  readonly isTest?: boolean
}

interface Entry {
  readonly position: EpochPosition
  readonly steps: Generator<number, LightCache>
  cache: LightCache | undefined
  making: Promise<void> | undefined
}

const TEST_SIZES: CacheSizes = { cacheBytes: 1024, datasetBytes: 32_768 }

/** Number of blocks before an epoch at which its cache is computed. */
const BLOCKS_AHEAD = 4096

/** Computes caches on demand and keeps the most recently used ones. */
export class EpochCaches {
  readonly isTest: boolean
  readonly #onProgress: EpochCachesOptions['onProgress']
  /** Least recently used first. */
  readonly #entries: Entry[] = []

  /** null: the host cannot compile it. */
  #module: WebAssembly.Module | null | undefined

  constructor({ onProgress, isTest = false }: EpochCachesOptions = {}) {
    this.#onProgress = onProgress
    this.isTest = isTest
  }

  /**
   * @param isLong ECIP-1099 epochs
   * @param powHash 32 bytes
   * @param nonce 8 bytes, big-endian as in a header
   */
  hashimoto(blockNumber: number, isLong: boolean, powHash: Uint8Array, nonce: Uint8Array): Hashimoto {
    return this.#cache(blockNumber, isLong).hashimoto(powHash, nonce)
  }

  /**
   * Tries consecutive nonces, see `LightCache.search`.
   * @param isLong ECIP-1099 epochs
   */
  search({ blockNumber, isLong, powHash, target }: SealTask, first: bigint, count: number): FoundNonce | undefined {
    return this.#cache(blockNumber, isLong).search(powHash, target, first, count)
  }

  /**
   * Computes the cache for a block in advance, and yields every few milliseconds. Near the end of an epoch the next
   * epoch's cache is computed in the background.
   * @returns undefined when the cache is available
   */
  prepare(blockNumber: number, isLong: boolean, yieldToHost: YieldToHost): Promise<void> | undefined {
    const position = epochAt(blockNumber, isLong)
    const next = epochAt(blockNumber + BLOCKS_AHEAD, isLong)
    if (next.epoch !== position.epoch) {
      // A failure recurs when the cache is needed.
      this.#make(this.#entry(next), yieldToHost)?.catch(() => {})
    }
    return this.#make(this.#entry(position), yieldToHost)
  }

  #cache(blockNumber: number, isLong: boolean): LightCache {
    const entry = this.#entry(epochAt(blockNumber, isLong))
    while (entry.cache === undefined) this.#step(entry)
    return entry.cache
  }

  #make(entry: Entry, yieldToHost: YieldToHost): Promise<void> | undefined {
    if (entry.cache !== undefined) return undefined
    entry.making ??= this.#makeInSteps(entry, yieldToHost).finally(() => {
      entry.making = undefined
    })
    return entry.making
  }

  async #makeInSteps(entry: Entry, yieldToHost: YieldToHost): Promise<void> {
    while (entry.cache === undefined) {
      this.#step(entry)
      await yieldToHost()
    }
  }

  #entry(position: EpochPosition): Entry {
    const { epoch, isLong } = position
    const at = this.#entries.findIndex((entry) => entry.position.epoch === epoch && entry.position.isLong === isLong)
    const entry = at < 0 ? this.#newEntry(position) : (this.#entries[at] as Entry)
    if (at === this.#entries.length - 1 && at >= 0) return entry
    if (at >= 0) this.#entries.splice(at, 1)
    this.#entries.push(entry)
    if (this.#entries.length > MAX_ETHASH_CACHES) this.#entries.shift()
    return entry
  }

  #step(entry: Entry): void {
    const next = entry.steps.next()
    if (next.done) entry.cache = next.value
    this.#onProgress?.(entry.position, next.done ? 1 : next.value)
  }

  #newEntry(position: EpochPosition): Entry {
    return { position, steps: this.#steps(position), cache: undefined, making: undefined }
  }

  #steps(position: EpochPosition): Generator<number, LightCache> {
    const seed = epochSeed(position)
    if (this.isTest) return smallCache(TEST_SIZES, seed)
    const { epoch } = position
    const sizes = { cacheBytes: cacheBytes(epoch), datasetBytes: datasetBytes(epoch) }
    if (this.#module === undefined) this.#module = compileHashimoto() ?? null
    return this.#module === null ? plainCache(sizes, seed) : wasmCache(this.#module, sizes, seed)
  }
}
