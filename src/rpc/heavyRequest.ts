import type { RequestWorkers, WorkerRequest } from '../base/ports/requestWorkers.ts'
import type { AbortSignal } from '../base/ports/webTypes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import type { JsonWriter } from '../base/primitives/jsonWriter.ts'
import { StreamedResult } from './streamedResult.ts'
import { TextResult } from './textResult.ts'

const encoder = new TextEncoder()

/**
 * Streams the answer of a worker thread.
 * @param runHere executes the request on this thread, when no other can be started
 */
export function workerResult(
  workers: RequestWorkers,
  request: WorkerRequest,
  signal: AbortSignal,
  runHere: () => unknown,
): StreamedResult {
  return new StreamedResult(async (out) => {
    const sink = {
      write: (chunk: Uint8Array<ArrayBuffer>) => out.handOver(chunk),
      get isFull() {
        return out.isFull
      },
      drained: () => out.drained(),
    }
    try {
      await workers.run(request, sink, signal)
    } catch (error) {
      if (!isNodeError(error, 'WORKERS_UNAVAILABLE')) throw error
      await write(await runHere(), out)
    }
  })
}

function write(result: unknown, out: JsonWriter): void | Promise<void> {
  if (result instanceof StreamedResult) return result.write(out)
  out.raw(encoder.encode(result instanceof TextResult ? result.text : (JSON.stringify(result) ?? 'null')))
}
