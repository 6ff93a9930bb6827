/**
 * Which transaction is worth more: for a block, and for staying in a full pool.
 * @module
 */
import { effectiveGasPrice, maxFeePerGas } from '../chain/fees.ts'
import type { Transaction } from '../types/transaction.ts'
import type { BlockPrices } from './contract.ts'
import type { PoolEntry } from './poolIndex.ts'

/** An entry with what a unit of its gas would bring the block's author. */
export interface RankedEntry {
  readonly entry: PoolEntry
  /** wei; negative below the base fee */
  readonly tip: bigint
}

export function rank(entry: PoolEntry, baseFeePerGas: bigint | undefined): RankedEntry {
  return { entry, tip: effectiveGasPrice(entry.transaction, baseFeePerGas) - (baseFeePerGas ?? 0n) }
}

/** Whether a block with these prices could take it. */
export function paysPrices(transaction: Transaction, { baseFeePerGas, blobBaseFee }: BlockPrices): boolean {
  if (maxFeePerGas(transaction) < (baseFeePerGas ?? 0n)) return false
  return transaction.type !== 3 || (blobBaseFee !== undefined && transaction.maxFeePerBlobGas >= blobBaseFee)
}

/** For a block: local before remote, then the higher tip, then who came first. */
export function goesBeforeByPrice(a: RankedEntry, b: RankedEntry): boolean {
  if (a.entry.isLocal !== b.entry.isLocal) return a.entry.isLocal
  if (a.tip !== b.tip) return a.tip > b.tip
  return a.entry.sequence < b.entry.sequence
}

export function goesBeforeByAdmission(a: RankedEntry, b: RankedEntry): boolean {
  return a.entry.sequence < b.entry.sequence
}

/** From a full pool: remote before local, then the lower tip, then who came first. */
export function isEvictedBefore(a: RankedEntry, b: RankedEntry): boolean {
  if (a.entry.isLocal !== b.entry.isLocal) return b.entry.isLocal
  if (a.tip !== b.tip) return a.tip < b.tip
  return a.entry.sequence < b.entry.sequence
}
