/**
 * Rules of --rpc-http-workers.
 * @module
 */
import { MAX_HTTP_WORKERS } from '../base/limits/limits.ts'
import type { NodeOptions } from '../config/options.ts'
import { isFork, isInMemory } from '../config/storageOptions.ts'
import { invalidOption } from './values.ts'

/** @throws {NodeError} INVALID_OPTION */
export function checkHttpWorkers(options: NodeOptions): void {
  const value = options['rpc-http-workers']
  const isCount = /^\d{1,3}$/.test(value) && Number(value) <= MAX_HTTP_WORKERS
  if (!isCount && value !== 'auto') {
    throw invalidOption(
      `Invalid value for option '--rpc-http-workers': '${value}' is neither a number from 0 to ${MAX_HTTP_WORKERS} nor auto`,
    )
  }
  if (isCount && Number(value) === 0) return
  if (isFork(options)) {
    throw invalidOption('--rpc-http-workers cannot be combined with a fork: only one process can ask the remote.')
  }
  if (isInMemory(options)) {
    throw invalidOption(
      '--rpc-http-workers needs a chain on disk, which its processes share: name it with --data-path.',
    )
  }
}
