import type { ByteSink } from '../primitives/byteSink.ts'
import type { AbortSignal } from './webTypes.ts'

/** A request that another thread can answer from the same store. */
export interface WorkerRequest {
  readonly method: string
  /** JSON values */
  readonly params: readonly unknown[]
  /** Subject of the request, such as a block: preferably answered by the idle thread that last had the same one. */
  readonly subject?: string
}

/** Threads that answer heavy requests over the same store, so that the main thread remains responsive. */
export interface RequestWorkers {
  /**
   * Streams the result, one JSON value, to the sink. The worker sees everything that was committed before the call.
   * @throws errors of the method; EXECUTION_ABORTED when `signal` is aborted, WORKERS_BUSY, WORKER_FAILED;
   *   WORKERS_UNAVAILABLE when no thread could be started, before anything was written
   */
  run(request: WorkerRequest, sink: ByteSink, signal: AbortSignal | undefined): Promise<void>
  /** Whether no thread could be started: the caller must answer requests itself. */
  readonly isBroken?: boolean
  /** Aborts running requests. */
  close(): Promise<void>
}
