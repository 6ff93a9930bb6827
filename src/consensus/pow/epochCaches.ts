/**
 * The ethash caches in use.
 * @module
 */
import { MAX_ETHASH_CACHES } from '../../config/limits.ts'
import type { YieldToHost } from '../../ports/yieldToHost.ts'
import {
  cacheBytes,
  datasetBytes,
  type EpochPosition,
  epochAt,
  epochSeed,
  type Hashimoto,
  hashimoto,
  makeCache,
} from './ethash.ts'

export interface EpochCachesOptions {
  /** Called during the computation of a cache: 0 to 1. It takes a second or more. */
  readonly onProgress?: (position: EpochPosition, done: number) => void
}

interface Entry {
  readonly position: EpochPosition
  readonly fullBytes: number
  readonly steps: Generator<number, Int32Array>
  cache: Int32Array | undefined
  making: Promise<void> | undefined
}

/** Number of blocks before an epoch at which its cache is computed. */
const BLOCKS_AHEAD = 4096

/** Computes caches on demand and keeps the most recently used ones. */
export class EpochCaches {
  readonly #onProgress: EpochCachesOptions['onProgress']
  /** Least recently used first. */
  readonly #entries: Entry[] = []

  constructor({ onProgress }: EpochCachesOptions = {}) {
    this.#onProgress = onProgress
  }

  /**
   * @param isLong ECIP-1099 epochs
   * @param powHash 32 bytes
   * @param nonce 8 bytes, big-endian as in a header
   */
  hashimoto(blockNumber: number, isLong: boolean, powHash: Uint8Array, nonce: Uint8Array): Hashimoto {
    const entry = this.#entry(epochAt(blockNumber, isLong))
    while (entry.cache === undefined) this.#step(entry)
    return hashimoto(entry.cache, entry.fullBytes, powHash, nonce)
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
    const entry = at < 0 ? newEntry(position) : (this.#entries[at] as Entry)
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
}

function newEntry(position: EpochPosition): Entry {
  const steps = makeCache(cacheBytes(position.epoch), epochSeed(position))
  return { position, fullBytes: datasetBytes(position.epoch), steps, cache: undefined, making: undefined }
}
