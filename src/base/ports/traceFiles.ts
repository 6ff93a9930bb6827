import type { ByteSink } from '../primitives/byteSink.ts'

/** A file under construction. It is not visible under its name until it is published. */
export interface TraceFile {
  /** Absolute path of the published file. */
  readonly path: string
  /** `drained` rejects with the error of {@link close}. */
  readonly sink: ByteSink
  /**
   * Waits until everything is on disk.
   * @throws {NodeError} TRACE_DISK_FULL, TRACE_FILES_FULL, TRACE_FILE_FAILED; the file is then removed
   */
  close(): Promise<void>
  /** Publishes the closed file under its name. @throws {NodeError} TRACE_FILE_FAILED */
  publish(): Promise<void>
  /** Removes the file, published or not. Never throws. */
  discard(): Promise<void>
}

/** Creates files for debug_standardTrace…ToFile. */
export interface TraceFiles {
  /** @param name without folders @throws {NodeError} TRACE_DISK_FULL, TRACE_FILES_FULL, TRACE_FILE_FAILED */
  create(name: string): Promise<TraceFile>
}
