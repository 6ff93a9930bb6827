import type { ByteSink } from '../primitives/byteSink.ts'

/** A file that is being written. Until it is published, nobody sees it under its name. */
export interface TraceFile {
  /** Absolute; where the file will be. */
  readonly path: string
  /** `drained` is rejected with what {@link close} throws. */
  readonly sink: ByteSink
  /**
   * Waits until everything is on the disk.
   * @throws {NodeError} TRACE_DISK_FULL, TRACE_FILES_FULL, TRACE_FILE_FAILED; then nothing is left of the file
   */
  close(): Promise<void>
  /** Gives the closed file its name. @throws {NodeError} TRACE_FILE_FAILED */
  publish(): Promise<void>
  /** Removes what was written, published or not. Never throws. */
  discard(): Promise<void>
}

/** A place for debug_standardTrace…ToFile. */
export interface TraceFiles {
  /** @param name without folders @throws {NodeError} TRACE_DISK_FULL, TRACE_FILES_FULL, TRACE_FILE_FAILED */
  create(name: string): Promise<TraceFile>
}
