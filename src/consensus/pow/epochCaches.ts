/**
 * The ethash caches in use.
 * @module
 */
import { MAX_ETHASH_CACHES } from '../../base/limits/limits.ts'
import type { EpochDataset, EpochPosition } from '../../base/ports/ethashDatasets.ts'
import type { SealTask } from '../../base/ports/sealSearch.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { cacheBytes, datasetBytes, epochAt, epochSeed, type Hashimoto, storedDataset } from './ethash.ts'
import { fullHashes } from './fullHashes.ts'
import type { CacheSizes, EpochHashes, FoundNonce, LightCache } from './lightCache.ts'
import { plainCache, plainHashes, smallCache } from './plainCache.ts'
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

/** Lengths of an epoch's cache and dataset. */
export function sizesOf({ epoch }: EpochPosition, isTest: boolean): CacheSizes {
  return isTest ? TEST_SIZES : { cacheBytes: cacheBytes(epoch), datasetBytes: datasetBytes(epoch) }
}

/** The epoch of a block, and the next one if it is near. */
export function epochsNear(blockNumber: number, isLong: boolean): readonly EpochPosition[] {
  const position = epochAt(blockNumber, isLong)
  const next = epochAt(blockNumber + BLOCKS_AHEAD, isLong)
  return next.epoch === position.epoch ? [position] : [position, next]
}

export function isSameEpoch(a: EpochPosition, b: EpochPosition): boolean {
  return a.epoch === b.epoch && a.isLong === b.isLong
}

/**
 * Computes the cache of an epoch step by step.
 * @yields the completed part, 0 to 1
 */
export function lightSteps(
  position: EpochPosition,
  isTest: boolean,
  compile: () => WebAssembly.Module | undefined = compileHashimoto,
): Generator<number, LightCache> {
  const seed = epochSeed(position)
  const sizes = sizesOf(position, isTest)
  if (isTest) return smallCache(sizes, seed)
  const module = compile()
  return module === undefined ? plainCache(sizes, seed) : wasmCache(module, sizes, seed)
}

/** Computes caches on demand and keeps the most recently used ones. */
export class EpochCaches {
  readonly isTest: boolean
  readonly #onProgress: EpochCachesOptions['onProgress']
  /** Least recently used first. */
  readonly #entries: Entry[] = []

  /** Datasets in use, of at most two epochs. */
  #datasets: readonly (EpochDataset & { readonly hashes: EpochHashes })[] = []
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
    return this.#hashes(blockNumber, isLong).hashimoto(powHash, nonce)
  }

  /**
   * Tries consecutive nonces, see `LightCache.search`.
   * @param isLong ECIP-1099 epochs
   */
  search({ blockNumber, isLong, powHash, target }: SealTask, first: bigint, count: number): FoundNonce | undefined {
    return this.#hashes(blockNumber, isLong).search(powHash, target, first, count)
  }

  /**
   * Computes the cache for a block in advance, and yields every few milliseconds. Near the end of an epoch the next
   * epoch's cache is computed in the background.
   * @returns undefined when the cache is available
   */
  prepare(blockNumber: number, isLong: boolean, yieldToHost: YieldToHost): Promise<void> | undefined {
    const [position, next] = epochsNear(blockNumber, isLong) as [EpochPosition, EpochPosition?]
    if (next !== undefined && this.#full(next) === undefined) {
      // The same failure is reported when the cache is needed.
      this.#make(this.#entry(next), yieldToHost)?.catch(() => {})
    }
    return this.#full(position) === undefined ? this.#make(this.#entry(position), yieldToHost) : undefined
  }

  /** Hashes by these datasets, and by no others. */
  useDatasets(datasets: readonly EpochDataset[]): void {
    const datasetFactory = this.#datasets
    this.#datasets = datasets.map(
      ({ position, memory }) =>
        datasetFactory.find((entry) => entry.memory === memory) ?? {
          position,
          memory,
          hashes: this.#fullHashes(memory),
        },
    )
  }

  /** Whether the dataset of a block's epoch is in use. */
  hasDataset(blockNumber: number, isLong: boolean): boolean {
    return this.#full(epochAt(blockNumber, isLong)) !== undefined
  }

  /** The cache of a block's epoch, whether or not its dataset is in use. */
  cache(blockNumber: number, isLong: boolean): LightCache {
    const entry = this.#entry(epochAt(blockNumber, isLong))
    while (entry.cache === undefined) this.#step(entry)
    return entry.cache
  }

  #hashes(blockNumber: number, isLong: boolean): EpochHashes {
    return this.#full(epochAt(blockNumber, isLong)) ?? this.cache(blockNumber, isLong)
  }

  #full(position: EpochPosition): EpochHashes | undefined {
    return this.#datasets.find((entry) => isSameEpoch(entry.position, position))?.hashes
  }

  #fullHashes(memory: SharedArrayBuffer): EpochHashes {
    const words = new Int32Array(memory)
    const module = this.#compile()
    return module === undefined ? plainHashes(storedDataset(words)) : fullHashes(module, words)
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
    const at = this.#entries.findIndex((entry) => isSameEpoch(entry.position, position))
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
    return {
      position,
      steps: lightSteps(position, this.isTest, () => this.#compile()),
      cache: undefined,
      making: undefined,
    }
  }

  /** @returns undefined: the host cannot compile it */
  #compile(): WebAssembly.Module | undefined {
    if (this.#module === undefined) this.#module = compileHashimoto() ?? null
    return this.#module ?? undefined
  }
}
