/**
 * Everything that the bundle offers to the files that load it.
 * @module
 */
import * as library from '../../../mod.ts'
import { atDefaultFlags, setHeapFlags } from '../program/heapFlags.ts'
import { runProgram } from '../program/program.ts'
import * as unstable from '../unstable.ts'

/** Workers: each starts on its thread when it is loaded. */
const workers = {
  blobWorker: (): Promise<unknown> => import('../threads/blobWorker.ts'),
  commitWorker: (): Promise<unknown> => import('../threads/commitWorker.ts'),
  datasetWorker: (): Promise<unknown> => import('../threads/datasetWorker.ts'),
  httpWorker: (): Promise<unknown> => import('../httpWorkers/httpWorker.ts'),
  passwordWorker: (): Promise<unknown> => import('../threads/passwordWorker.ts'),
  publishWorker: (): Promise<unknown> => import('../threads/publishWorker.ts'),
  recoveryWorker: (): Promise<unknown> => import('../threads/recoveryWorker.ts'),
  requestWorker: (): Promise<unknown> => import('../threads/requestWorker.ts'),
  sealWorker: (): Promise<unknown> => import('../threads/sealWorker.ts'),
} as const

/** The exports of the bundle. */
export interface Program {
  readonly runProgram: typeof runProgram
  readonly setHeapFlags: typeof setHeapFlags
  readonly atDefaultFlags: typeof atDefaultFlags
  readonly workers: typeof workers
  readonly library: typeof library
  readonly unstable: typeof unstable
}

export { atDefaultFlags, library, runProgram, setHeapFlags, unstable, workers }
