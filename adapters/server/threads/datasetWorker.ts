/**
 * Worker thread of {@link DatasetThreads}: computes chunks of a dataset until none is left or the job is stopped.
 * @module
 */
import os from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { DatasetJob } from '../../../src/base/ports/ethashDatasets.ts'
import { computeChunks } from '../../../src/consensus/pow/datasetChunks.ts'

export interface DatasetAnswer {
  readonly kind: 'ended'
  /** undefined: no error */
  readonly reason: string | undefined
}

parentPort?.postMessage(run(workerData as DatasetJob))

function run(job: DatasetJob): DatasetAnswer {
  try {
    yieldToOtherThreads()
    const steps = computeChunks(job)
    while (!steps.next().done);
    return { kind: 'ended', reason: undefined }
  } catch (error) {
    return { kind: 'ended', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** Lets the node's event loop run first. Only Linux applies a priority to the calling thread alone. */
function yieldToOtherThreads(): void {
  if (os.platform() !== 'linux') return
  try {
    os.setPriority(os.constants.priority.PRIORITY_LOW)
  } catch {
    // The runtime cannot change it.
  }
}
