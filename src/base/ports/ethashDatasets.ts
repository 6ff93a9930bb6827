/** An epoch of ethash. */
export interface EpochPosition {
  readonly epoch: number
  /** ECIP-1099 */
  readonly isLong: boolean
}

/** A complete dataset, which threads share. */
export interface EpochDataset {
  readonly position: EpochPosition
  /** Little-endian words. */
  readonly memory: SharedArrayBuffer
}

export interface DatasetJob extends EpochDataset {
  /** Ethash's test mode. */
  readonly isTest: boolean
  /** Distributes the work and stops it, see consensus/pow/datasetChunks.ts. */
  readonly control: SharedArrayBuffer
}

/**
 * Files of datasets, by name.
 * @throws {NodeError} DATASET_FILE_FAILED from every method
 */
export interface DatasetFiles {
  /** All names, also those of files that were not completed. */
  list(): Promise<readonly string[]>
  /** Length in bytes; undefined: the file does not exist. */
  length(name: string): Promise<number | undefined>
  /** Fills `to` from a position, as far as the file reaches. */
  read(name: string, position: number, to: Uint8Array): Promise<void>
  /** Replaces a file at once when all pieces are on the disk. Each piece is valid until the next one is requested. */
  write(name: string, pieces: Iterable<Uint8Array>): Promise<void>
  remove(name: string): Promise<void>
}

/** Computes datasets on threads with shared memory. */
export interface DatasetHost {
  readonly threads: number
  /** Memory that the process can still use, in bytes; an estimate. */
  availableBytes(): number
  /** Resolves when all threads have ended, because the dataset is complete or because the job was stopped. */
  compute(job: DatasetJob): Promise<void>
  /** undefined: datasets are only kept in memory */
  readonly files: DatasetFiles | undefined
}
