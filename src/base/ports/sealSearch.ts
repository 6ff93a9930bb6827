import type { EpochDataset } from './ethashDatasets.ts'

/** The search for the nonce of an ethash seal. */
export interface SealTask {
  /** Determines the epoch. */
  readonly blockNumber: number
  /** ECIP-1099 epochs. */
  readonly isLong: boolean
  /** 32 bytes: the hash of the header without its seal */
  readonly powHash: Uint8Array
  /** 32 bytes, big-endian: the maximum valid result */
  readonly target: Uint8Array
}

/** Searches for one nonce at a time, on other threads if the host has them. */
export interface SealSearch {
  /**
   * Replaces the running search.
   * @param first nonce to try
   * @param onFound called at most once, with 8 bytes, big-endian as in a header; not after `stop` or the next `start`
   */
  start(task: SealTask, first: bigint, onFound: (nonce: Uint8Array) => void): void
  stop(): void
  /** Stops the search and other work for it until the next start. */
  pause(): void
  /** Hashes per second of the last search, measured over a second or more; 0 before. */
  readonly hashrate: number
  /** Ends the search and releases its threads. */
  close(): void | Promise<void>
}

/** A search that can use complete datasets. */
export interface DatasetSealSearch extends SealSearch {
  /** Uses these datasets, and no others, also in a running search. */
  useDatasets(datasets: readonly EpochDataset[]): void
}

export interface SealSearchOptions {
  /** Ethash's test mode. */
  readonly isTest: boolean
  /** Receives errors that end a search. */
  readonly onError: (error: unknown) => void
}

export type OpenSealSearch = (options: SealSearchOptions) => DatasetSealSearch
