/**
 * Shared parts of the trace_* methods for stored blocks.
 * @module
 */

import type { ApiOptions } from '../../../api/options.ts'
import { type LoadedBlock, loadBlock } from '../../../api/views.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { ConsensusSchedule } from '../../../chain/engine.ts'
import type { BlockTracing, TraceLimits } from '../../../tracing/contract.ts'
import type { RequestContext } from '../../method.ts'

export interface TraceBackend {
  readonly chain: ChainReader
  readonly tracing: BlockTracing
  readonly consensus: ConsensusSchedule
  readonly options: ApiOptions
}

/** Error codes of all methods that execute a stored block again. */
export const replayErrors: readonly string[] = [
  'UNKNOWN_BLOCK',
  'WORLD_STATE_UNAVAILABLE',
  'REPLAY_FAILED',
  'RESPONSE_TOO_LARGE',
  'EXECUTION_TIMEOUT',
  'EXECUTION_ABORTED',
  'EXECUTION_OUT_OF_MEMORY',
]

/** The time limit of a stored transaction is that of the request. */
export function limitsOf({ signal }: RequestContext): TraceLimits {
  return { signal, timeoutMs: undefined }
}

/**
 * Returns a block that can be executed again, with its related data; undefined for the genesis block, and when the
 * state before it is not available.
 * @throws {NodeError} WORLD_STATE_UNAVAILABLE when the state is not available, in the profile `geth`: an empty list
 *   would look like a valid answer
 */
export function traceableBlock(
  { chain, tracing, options }: TraceBackend,
  header: ChainHeader,
): LoadedBlock | undefined {
  if (Number(header.header.number) === chain.lowestNumber) return undefined
  const block = loadBlock(chain, header)
  if (block !== undefined && tracing.canTrace(header)) return block
  if (options.profile === 'besu') return undefined
  throw new NodeError(
    { code: 'WORLD_STATE_UNAVAILABLE' },
    `missing trie node: the state before block ${header.header.number}`,
  )
}
