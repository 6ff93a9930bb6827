/**
 * Resources that the process has on its machine, or in its container.
 * @module
 */
import { availableParallelism, totalmem } from 'node:os'
import process from 'node:process'
import { MAX_REQUEST_WORKERS } from '../../src/base/limits/limits.ts'

/** Number of threads that answer requests: one for each core, minus one for the main thread. */
export function requestThreads(): number {
  return Math.min(MAX_REQUEST_WORKERS, Math.max(1, availableParallelism() - 1))
}

/** Memory that the process can have, bytes. */
export function processMemory(): number {
  const { constrainedMemory } = process as { constrainedMemory?: () => number }
  // The limit of the cgroup on Linux. 0: there is none, or the system cannot say.
  const limit = constrainedMemory?.call(process) || Number.POSITIVE_INFINITY
  return Math.min(totalmem(), limit)
}
