/**
 * A search that uses the datasets of the epochs as soon as they are available, and the light algorithm until then.
 * @module
 */

import type { DatasetSealSearch, SealSearch, SealTask } from '../../base/ports/sealSearch.ts'
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import type { EpochCaches } from '../../consensus/pow/epochCaches.ts'
import { epochAt } from '../../consensus/pow/ethash.ts'
import { EpochDatasets, type EpochDatasetsOptions } from './epochDatasets.ts'

export interface DatasetSearchOptions extends Omit<EpochDatasetsOptions, 'onChange'> {
  readonly search: DatasetSealSearch
}

export class DatasetSearch implements SealSearch {
  readonly #search: DatasetSealSearch
  readonly #caches: EpochCaches
  readonly #datasets: EpochDatasets

  constructor({ search, ...options }: DatasetSearchOptions) {
    this.#search = search
    this.#caches = options.caches
    this.#datasets = new EpochDatasets({ ...options, onChange: (datasets) => search.useDatasets(datasets) })
  }

  get hashrate(): number {
    return this.#search.hashrate
  }

  start(task: SealTask, first: bigint, onFound: (nonce: Uint8Array) => void): void {
    this.#datasets.follow(task.blockNumber, task.isLong)
    this.#search.start(task, first, (nonce) => {
      if (this.#isValid(task, nonce) || !this.#datasets.reject(epochAt(task.blockNumber, task.isLong))) onFound(nonce)
      else this.start(task, bytesToBigInt(nonce) + 1n, onFound)
    })
  }

  stop(): void {
    this.#search.stop()
  }

  pause(): void {
    this.#search.pause()
    this.#datasets.pause()
  }

  async close(): Promise<void> {
    await Promise.all([this.#search.close(), this.#datasets.close()])
  }

  /** The search by the light algorithm. */
  #isValid({ blockNumber, isLong, powHash, target }: SealTask, nonce: Uint8Array): boolean {
    const { result } = this.#caches.hashimoto(blockNumber, isLong, powHash, nonce)
    return bytesToBigInt(result) <= bytesToBigInt(target)
  }
}
