/**
 * A transaction explained: what it did or tried, in names of contracts and functions.
 * @module
 */
import { retryMisses } from '../../storage/retryMisses.ts'
import type { Cancellation } from '../cancellation.ts'
import { type MinedTransaction, minedSummary } from './minedSummary.ts'
import { type DevOutlook, pooledSummary } from './pooledSummary.ts'
import type { SummaryBackend, SummaryView } from './summaryView.ts'

/**
 * @param dev undefined on other chains
 * @returns undefined when neither the chain nor the pool has the transaction
 */
export async function transactionSummary(
  backend: SummaryBackend,
  hash: Uint8Array,
  dev: DevOutlook | undefined,
  cancellation: Cancellation,
): Promise<SummaryView | undefined> {
  const { contracts, pool, residency } = backend
  await contracts.ready()
  const mined = await retryMisses(() => findMined(backend, hash), residency)
  if (mined !== undefined) return minedSummary(backend, mined, cancellation)
  const pooled = pool.byHash(hash)
  return pooled && pooledSummary(backend, pooled, dev)
}

function findMined({ chain }: SummaryBackend, hash: Uint8Array): MinedTransaction | undefined {
  const place = chain.transactionLocation(hash)
  const block = place && chain.headerByHash(place.blockHash)
  if (place === undefined || block === undefined) return undefined
  const { index } = place
  const transaction = chain.body(block.hash)?.transactions[index]
  const sender = chain.senders(block.hash)?.[index]
  const receipt = chain.receipts(block.hash)?.[index]
  if (transaction === undefined || sender === undefined || receipt === undefined) return undefined
  return { block, index, transaction, sender, receipt }
}
