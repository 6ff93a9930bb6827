/** Accepts bytes as they are produced and applies back pressure. */
export interface ByteSink {
  /** Takes ownership of the chunk. Never throws; a sink without a reader drops the chunk. */
  write(chunk: Uint8Array<ArrayBuffer>): void
  /** Too much is pending: the writer must wait for `drained`. */
  readonly isFull: boolean
  /** Resolves when the sink accepts bytes again; rejects when the reader is gone. */
  drained(): Promise<void>
}
