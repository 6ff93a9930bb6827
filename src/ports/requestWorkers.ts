import type { ByteSink } from '../primitives/byteSink.ts'

/** A request that other threads can answer: they read the same store. */
export interface WorkerRequest {
  readonly method: string
  /** JSON values */
  readonly params: readonly unknown[]
}

/** Threads that answer heavy requests over the same store, so that the main loop stays free. */
export interface RequestWorkers {
  /**
   * Writes the result, one JSON value, to the sink as it is made. The worker sees everything that was committed before
   * the call.
   * @throws what the method throws, as a NodeError; the reason of `signal` when it is aborted
   */
  run(request: WorkerRequest, sink: ByteSink, signal: AbortSignal | undefined): Promise<void>
  close(): Promise<void>
}
