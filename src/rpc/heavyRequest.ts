import type { RequestWorkers, WorkerRequest } from '../ports/requestWorkers.ts'
import { StreamedResult } from './streamedResult.ts'

/** Streams the answer of a worker thread. */
export function workerResult(workers: RequestWorkers, request: WorkerRequest, signal: AbortSignal): StreamedResult {
  return new StreamedResult((out) => {
    const sink = {
      write: (chunk: Uint8Array<ArrayBuffer>) => out.handOver(chunk),
      get isFull() {
        return out.isFull
      },
      drained: () => out.drained(),
    }
    return workers.run(request, sink, signal)
  })
}
