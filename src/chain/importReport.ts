/**
 * The reports of an import of blocks.
 * @module
 */

export interface ImportProgress {
  /** Number of the last block imported; undefined: none yet. */
  readonly lastBlock: bigint | undefined
  /** Blocks executed and committed. */
  readonly imported: number
  /** Already known blocks, genesis, and blocks before the requested range. */
  readonly skipped: number
  readonly transactions: number
  readonly gasUsed: bigint
  readonly elapsedMs: number
  readonly blocksPerSecond: number
  /** Millions of gas. */
  readonly megagasPerSecond: number
  readonly bytesRead: number
  /** Estimate; undefined when the length of the source is unknown. */
  readonly remainingMs: number | undefined
}

export type ImportEnd =
  /** The end of the source or of the range was reached. */
  | { readonly kind: 'done' }
  | { readonly kind: 'aborted' }
  /** `reason` starts with "Invalid block at block number <n>". */
  | { readonly kind: 'failed'; readonly number: bigint; readonly reason: string }

export interface ImportReport extends ImportProgress {
  readonly end: ImportEnd
}
