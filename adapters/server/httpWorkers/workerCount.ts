import { availableParallelism } from 'node:os'
import process from 'node:process'
import { MAX_HTTP_WORKERS } from '../../../src/base/limits/limits.ts'
import { defaultMemoryTarget, MIN_MEMORY_BYTES } from '../../../src/base/limits/memoryShares.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { processMemory } from '../resources.ts'

/**
 * Number of processes that answer clients beside the one that writes.
 * @throws {NodeError} INVALID_OPTION on a host whose processes cannot share a port
 */
export function httpWorkerCount(options: NodeOptions): number {
  const value = options['rpc-http-workers']
  const count = value === 'auto' ? Math.min(MAX_HTTP_WORKERS, availableParallelism() - 1) : Number(value)
  if (count === 0 || !options['rpc-http-enabled']) return 0
  const { deno, bun } = process.versions
  if (deno === undefined && bun === undefined) return count
  const message = `--rpc-http-workers needs Node: processes of ${deno === undefined ? 'Bun' : 'Deno'} cannot pass connections on`
  throw new NodeError({ code: 'INVALID_OPTION' }, message)
}

/** The options with the part of the memory that each of several processes may use. */
export function shareOfMemory(options: NodeOptions, processes: number): NodeOptions {
  if (processes === 1) return options
  const target = options['memory-target'] ?? defaultMemoryTarget(processMemory())
  return { ...options, 'memory-target': Math.max(MIN_MEMORY_BYTES, Math.floor(target / processes)) }
}
