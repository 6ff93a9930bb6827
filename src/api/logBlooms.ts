/**
 * Files with the blooms of old blocks, for `admin_*`. The node's own log search has an index and does not read them:
 * they serve other programs.
 * @module
 */

/** The last or current run. */
export interface BloomRewrite {
  readonly startBlock: number
  /** `Infinity`: up to the head. */
  readonly endBlock: number
  readonly currentBlock: number
  readonly isActive: boolean
}

export interface LogBloomCache {
  readonly run: BloomRewrite
  /**
   * Writes the complete segments of a range in the background.
   * @returns false when another run is active or the range is empty
   */
  generate(startBlock: number, endBlock: number): boolean
  /**
   * Writes complete segments again, from that of a block down to the first, in the background.
   * @returns false when another run is active
   */
  repair(startBlock: number): boolean
  /** Removes the segments of a range, both ends inclusive. */
  remove(from: number, to: number): Promise<void>
}
