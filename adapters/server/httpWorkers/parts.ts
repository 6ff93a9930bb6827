import type { NodeOptions } from '../../../src/config/options.ts'
import type { ChainAccess } from './messages.ts'
import type { WorkerMetrics } from './workerMetrics.ts'

/** The further parts of a node with such processes. */
export interface HttpWorkerParts {
  readonly count: number
  readonly chain: ChainAccess
  /** With the share of memory of one process. */
  readonly options: NodeOptions
  readonly metrics: WorkerMetrics | undefined
}
