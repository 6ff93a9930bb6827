/**
 * Calls of the transactions of a stored block.
 * @module
 */
import type { Residency } from '../../../base/ports/keyValueStore.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import { retryMisses } from '../../../storage/retryMisses.ts'
import type { FlatEntry } from '../../../tracing/besu/flatTrace.ts'
import { FlatTracer } from '../../../tracing/besu/flatTracer.ts'
import type { BlockTracing } from '../../../tracing/contract.ts'
import type { RequestContext } from '../../method.ts'
import { limitsOf } from '../trace/traceBackend.ts'

export interface OtsTraceBackend {
  readonly chain: ChainReader
  readonly tracing: BlockTracing
  readonly residency?: Residency | undefined
}

/**
 * Executes the transactions of a block up to the last of `indexes`.
 * @param indexes ascending
 * @param use called for each of them with its calls, creations and self-destructs in the order in which they began
 * @throws {NodeError} WORLD_STATE_UNAVAILABLE, STATE_PRUNED, and those of BlockTracing
 */
export async function traceTransactions(
  { tracing, residency }: OtsTraceBackend,
  header: ChainHeader,
  indexes: readonly number[],
  context: RequestContext,
  use: (index: number, entries: readonly FlatEntry[]) => void,
): Promise<void> {
  if (!(await retryMisses(() => tracing.canTrace(header), residency))) {
    throw new NodeError(
      { code: 'WORLD_STATE_UNAVAILABLE' },
      `missing trie node: the state before block ${header.header.number}`,
    )
  }
  const wanted = new Set(indexes)
  const plan = {
    tracerFor: (index: number) => (wanted.has(index) ? new FlatTracer((entries) => use(index, entries)) : undefined),
    end: (indexes.at(-1) ?? -1) + 1,
  }
  await tracing.block(header, plan, limitsOf(context))
}

/** The entries whose effects were kept: neither they nor a call around them failed. */
export function keptEntries(entries: readonly FlatEntry[]): FlatEntry[] {
  const kept = new Set<FlatEntry>()
  for (const entry of entries) {
    const isInKept = entry.parent === undefined || kept.has(entry.parent)
    if (isInKept && (entry.end === undefined || entry.end.outcome === 'success')) kept.add(entry)
  }
  return [...kept]
}
