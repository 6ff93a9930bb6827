import type { ByteSink } from '../primitives/byteSink.ts'

/** A request that other threads can answer: they read the same store. */
export interface WorkerRequest {
  readonly method: string
  /** JSON values */
  readonly params: readonly unknown[]
  /** What it is about, such as a block, by a name: goes to who had the same before, if that one is free. */
  readonly subject?: string
}

/** Threads that answer heavy requests over the same store, so that the main loop stays free. */
export interface RequestWorkers {
  /**
   * Writes the result, one JSON value, to the sink as it is made. The worker sees everything that was committed before
   * the call.
   * @throws what the method throws; EXECUTION_ABORTED when `signal` is aborted, WORKERS_BUSY, WORKER_FAILED
   */
  run(request: WorkerRequest, sink: ByteSink, signal: AbortSignal | undefined): Promise<void>
  /** No thread could be started: requests have to be answered without. */
  readonly isBroken?: boolean
  /** Ends what runs. */
  close(): Promise<void>
}
