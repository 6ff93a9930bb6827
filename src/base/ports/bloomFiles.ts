/**
 * Files of log blooms: one per segment of 100,000 blocks, 256 bytes for each block in order.
 * @throws {NodeError} BLOOM_FILE_FAILED from every method
 */
export interface BloomFiles {
  /** Numbers of the segments that have a file, ascending. */
  segments(): Promise<readonly number[]>
  /** Length of a segment's file in bytes; 0 when it does not exist. */
  length(segment: number): Promise<number>
  /** Writes bytes at a position; creates the file. */
  write(segment: number, position: number, bytes: Uint8Array): Promise<void>
  truncate(segment: number, length: number): Promise<void>
  remove(segment: number): Promise<void>
}
