/**
 * Everything that the bundle offers to the files that load it.
 * @module
 */
import * as library from '../../../mod.ts'
import { atDefaultFlags, setHeapFlags } from '../heapFlags.ts'
import * as node from '../index.ts'
import { runProgram } from '../program.ts'

/** Start on their thread when they are loaded. */
const workers = {
  blobWorker: (): Promise<unknown> => import('../blobWorker.ts'),
  datasetWorker: (): Promise<unknown> => import('../datasetWorker.ts'),
  passwordWorker: (): Promise<unknown> => import('../passwordWorker.ts'),
  recoveryWorker: (): Promise<unknown> => import('../recoveryWorker.ts'),
  requestWorker: (): Promise<unknown> => import('../requestWorker.ts'),
  sealWorker: (): Promise<unknown> => import('../sealWorker.ts'),
} as const

/** The exports of the bundle. */
export interface Program {
  readonly runProgram: typeof runProgram
  readonly setHeapFlags: typeof setHeapFlags
  readonly atDefaultFlags: typeof atDefaultFlags
  readonly workers: typeof workers
  readonly library: typeof library
  readonly node: typeof node
}

export { atDefaultFlags, library, node, runProgram, setHeapFlags, workers }
