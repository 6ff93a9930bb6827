import type { ChainHeader } from '../chain/contract.ts'
import type { BlockTracing, ReplayedState } from '../tracing/contract.ts'
import type { Cancellation } from './cancellation.ts'
import type { ApiOptions } from './options.ts'

export interface ReplayBackend {
  readonly tracing: BlockTracing
  readonly options: ApiOptions
}

/** State after the first `count` transactions of a block; undefined when the parent's state is not available. */
export async function stateInBlock(
  { tracing, options }: ReplayBackend,
  header: ChainHeader,
  count: number,
  { signal }: Cancellation,
): Promise<ReplayedState | undefined> {
  if (!tracing.canTrace(header)) return undefined
  return tracing.stateAfter(header, count, { signal, timeoutMs: options.callTimeoutMs })
}
