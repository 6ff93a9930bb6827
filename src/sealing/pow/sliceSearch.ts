/**
 * A search for a nonce on this thread, in slices.
 * @module
 */

import type { EpochDataset } from '../../base/ports/ethashDatasets.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { DatasetSealSearch, SealTask } from '../../base/ports/sealSearch.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import type { EpochCaches } from '../../consensus/pow/epochCaches.ts'
import { SEARCH_STEP } from '../../consensus/pow/lightCache.ts'

export interface SliceSearchOptions {
  readonly caches: EpochCaches
  readonly clock: Pick<Clock, 'monotonic'>
  readonly yieldToHost: YieldToHost
  /** Hashes between two yields, a multiple of SEARCH_STEP. */
  readonly sliceHashes?: number
  /** Receives errors, such as a cache for which there is no memory. The search has then ended. */
  readonly onError: (error: unknown) => void
}

/** Minimum duration of a measurement of the hash rate. */
const MEASURE_MS = 1000
/** With a dataset, a slice has this many times the hashes, and still takes less time. */
const DATASET_SPEEDUP = 16

export class SliceSearch implements DatasetSealSearch {
  readonly #options: SliceSearchOptions
  /** Identifies the running search. */
  #run: object | undefined
  #hashes = 0
  #busyMs = 0
  hashrate = 0

  constructor(options: SliceSearchOptions) {
    this.#options = options
  }

  start(task: SealTask, first: bigint, onFound: (nonce: Uint8Array) => void): void {
    const run = {}
    this.#run = run
    this.#search(run, task, first, onFound).catch((error: unknown) => {
      if (this.#run === run) this.#run = undefined
      this.#options.onError(error)
    })
  }

  stop(): void {
    this.#run = undefined
  }

  pause(): void {
    this.stop()
  }

  useDatasets(datasets: readonly EpochDataset[]): void {
    this.#options.caches.useDatasets(datasets)
  }

  close(): void {
    this.stop()
  }

  async #search(run: object, task: SealTask, first: bigint, onFound: (nonce: Uint8Array) => void): Promise<void> {
    const { caches, yieldToHost, sliceHashes = SEARCH_STEP } = this.#options
    await caches.prepare(task.blockNumber, task.isLong, yieldToHost)
    for (let nonce = first; this.#run === run; ) {
      const isFull = caches.hasDataset(task.blockNumber, task.isLong)
      const count = isFull ? sliceHashes * DATASET_SPEEDUP : sliceHashes
      const foundNonce = this.#slice(task, nonce, count)
      nonce += BigInt(count)
      if (foundNonce !== undefined) {
        this.#run = undefined
        onFound(foundNonce)
        return
      }
      await yieldToHost()
    }
  }

  #slice(task: SealTask, first: bigint, count: number): Uint8Array | undefined {
    const { caches, clock } = this.#options
    const start = clock.monotonic()
    const foundNonce = caches.search(task, first, count)
    this.#busyMs += clock.monotonic() - start
    this.#hashes += count
    if (this.#busyMs >= MEASURE_MS) {
      this.hashrate = (this.#hashes * 1000) / this.#busyMs
      this.#hashes = 0
      this.#busyMs = 0
    }
    return foundNonce?.nonce
  }
}
