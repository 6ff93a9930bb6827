/**
 * Orders transactions by value: for inclusion in a block, and for eviction from a full pool.
 * @module
 */
import { effectiveGasPrice, maxFeePerGas } from '../chain/fees.ts'
import type { Transaction } from '../types/transaction.ts'
import type { BlockPrices } from './contract.ts'
import type { PoolEntry } from './poolIndex.ts'

/** An entry with the fee per unit of gas that the block's author would receive. */
export interface RankedEntry {
  readonly entry: PoolEntry
  /** wei; negative below the base fee */
  readonly tip: bigint
  /** Whether no block could include it now: a lower nonce or the funds are missing. */
  readonly isWaiting: boolean
}

export function rank(entry: PoolEntry, baseFeePerGas: bigint | undefined, isWaiting = false): RankedEntry {
  return { entry, tip: effectiveGasPrice(entry.transaction, baseFeePerGas) - (baseFeePerGas ?? 0n), isWaiting }
}

/** Whether the transaction pays the prices of a block. */
export function paysPrices(transaction: Transaction, prices: BlockPrices): boolean {
  return maxFeePerGas(transaction) >= (prices.baseFeePerGas ?? 0n) && paysForBlobs(transaction, prices)
}

export function paysForBlobs(transaction: Transaction, { blobBaseFee }: BlockPrices): boolean {
  return transaction.type !== 3 || (blobBaseFee !== undefined && transaction.maxFeePerBlobGas >= blobBaseFee)
}

/** Order of inclusion: local before remote, then the higher tip, then the earlier admission. */
export function goesBeforeByPrice(a: RankedEntry, b: RankedEntry): boolean {
  if (a.entry.isLocal !== b.entry.isLocal) return a.entry.isLocal
  if (a.tip !== b.tip) return a.tip > b.tip
  return a.entry.sequence < b.entry.sequence
}

export function goesBeforeByAdmission(a: RankedEntry, b: RankedEntry): boolean {
  return a.entry.sequence < b.entry.sequence
}

/** Order of eviction: waiting before executable, remote before local, then the lower tip, then the earlier admission. */
export function isEvictedBefore(a: RankedEntry, b: RankedEntry): boolean {
  if (a.isWaiting !== b.isWaiting) return a.isWaiting
  if (a.entry.isLocal !== b.entry.isLocal) return b.entry.isLocal
  if (a.tip !== b.tip) return a.tip < b.tip
  return a.entry.sequence < b.entry.sequence
}
