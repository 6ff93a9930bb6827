/** Takes bytes as they are made and says when it wants no more. */
export interface ByteSink {
  /** The chunk belongs to the sink from now on. Never throws; a sink whose reader is gone drops what it gets. */
  write(chunk: Uint8Array<ArrayBuffer>): void
  /** More is pending than there should be: whoever writes waits for `drained`. */
  readonly isFull: boolean
  /** Resolved when there is room again; rejected when the reader is gone. */
  drained(): Promise<void>
}
