import type { Residency } from '../base/ports/keyValueStore.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import type { Emitter } from '../base/primitives/events.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import type { ChainMetrics } from './chainMetrics.ts'
import type { ChainEvents } from './contract.ts'
import { pathBetween } from './headRule.ts'

export interface HeadAnnouncement {
  readonly events: Emitter<ChainEvents>
  readonly blocks: BlockStore
  readonly residency: Residency | undefined
  readonly metrics: Pick<ChainMetrics, 'reorganisations'>
}

/**
 * Emits the events of a committed change of the head: `reorg`, `head`, then the logs of the removed and added blocks.
 */
export async function announceHead(
  before: StoredHeader,
  head: StoredHeader,
  { events, blocks, residency, metrics }: HeadAnnouncement,
): Promise<void> {
  if (equalBytes(before.hash, head.hash)) return
  const { commonAncestor, removed, added } = await retryMisses(() => pathBetween(before, head, blocks), residency)
  const removedOldestFirst = [...removed].reverse()
  if (removed.length > 0) {
    metrics.reorganisations.add()
    events.emit('reorg', { commonAncestor, removed: removedOldestFirst, added })
  }
  events.emit('head', { head, added, removed: removedOldestFirst })
  if (!events.has('logs')) return
  const announceLogs = async (block: StoredHeader, isRemoved: boolean): Promise<void> => {
    const receipts = (await retryMisses(() => blocks.receipts(block.hash), residency)) ?? []
    if (receipts.some(({ logs }) => logs.length > 0)) events.emit('logs', { block, receipts, removed: isRemoved })
  }
  for (const block of removed) await announceLogs(block, true)
  for (const block of added) await announceLogs(block, false)
}
