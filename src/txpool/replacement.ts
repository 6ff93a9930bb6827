/**
 * Whether a transaction may replace another one of the same sender and nonce. Only blobs replace blobs.
 * @see eth_sendRawTransaction of Besu 23.4; EIP-1559, EIP-4844
 * @module
 */
import { effectiveGasPrice, maxFeePerGas, maxPriorityFeePerGas } from '../chain/fees.ts'
import type { BlobTransaction, Transaction } from '../types/transaction.ts'

/**
 * @param baseFeePerGas of the next block, wei; undefined before London
 * @param priceBump percent
 */
export function mayReplace(
  next: Transaction,
  old: Transaction,
  baseFeePerGas: bigint | undefined,
  priceBump: number,
): boolean {
  if (old.type === 3) return next.type === 3 && replacesBlobs(next, old)
  const percent = 100n + BigInt(priceBump)
  if (next.type < 2 && old.type < 2) return maxFeePerGas(next) > (maxFeePerGas(old) * percent) / 100n
  if (baseFeePerGas === undefined) return false
  const price = effectiveGasPrice(next, baseFeePerGas)
  const oldPrice = effectiveGasPrice(old, baseFeePerGas)
  if (price === 0n) return false
  const priority = priorityFee(next, baseFeePerGas)
  const oldPriority = priorityFee(old, baseFeePerGas)
  if (isBumped(price, oldPrice, percent)) return priority >= oldPriority
  return price === oldPrice && isBumped(priority, oldPriority, percent)
}

/** Verifying and forwarding blobs is expensive, so each of the three fees must at least double, as in geth. */
function replacesBlobs(next: BlobTransaction, old: BlobTransaction): boolean {
  return (
    next.maxFeePerGas >= 2n * old.maxFeePerGas &&
    next.maxPriorityFeePerGas >= 2n * old.maxPriorityFeePerGas &&
    next.maxFeePerBlobGas >= 2n * old.maxFeePerBlobGas
  )
}

function isBumped(next: bigint, old: bigint, percent: bigint): boolean {
  return next * 100n > old * percent
}

/** With a single gas price the author receives the part above the base fee. */
function priorityFee(transaction: Transaction, baseFeePerGas: bigint): bigint {
  const priority = maxPriorityFeePerGas(transaction)
  return transaction.type < 2 ? priority - baseFeePerGas : priority
}
