/**
 * Splits what is sent to a peer into messages of a limited size.
 * @see docs/reference/p2p.md sections 4 and 8
 * @module
 */
import {
  MAX_ANNOUNCED_HASHES,
  MAX_REQUESTED_TRANSACTIONS,
  MAX_TRANSACTIONS_MESSAGE_BYTES,
} from '../../../base/limits/limits.ts'
import type { PooledTransaction } from '../../../txpool/contract.ts'
import { encodePooledTransaction } from '../../../types/blobSidecar.ts'
import type { NewPooledTransactionHashes, Transactions } from './messages.ts'
import type { EthVersion } from './versions.ts'

/** Announcements of transactions, with types and sizes where the version has them. */
export function announcements(
  { announcesTypes }: EthVersion,
  pooled: readonly PooledTransaction[],
): NewPooledTransactionHashes[] {
  return slices(pooled.filter(isSent), MAX_ANNOUNCED_HASHES).map((slice) => ({
    kind: 'newPooledTransactionHashes',
    hashes: slice.map(({ hash }) => hash),
    forms: announcesTypes
      ? { types: Uint8Array.from(slice, ({ transaction }) => transaction.type), sizes: slice.map(sizeOf) }
      : undefined,
  }))
}

/** The signature of an impersonated transaction is not valid: peers would refuse it. */
export function isSent({ isImpersonated }: PooledTransaction): boolean {
  return isImpersonated !== true
}

/** Lengths of transactions with blobs. They are large, so each is encoded only once to measure it. */
const blobSizes = new WeakMap<PooledTransaction, number>()

/** Length of the encoding that a peer receives, with blobs. */
function sizeOf(pooled: PooledTransaction): number {
  if (pooled.sidecar === undefined) return pooled.encoding.length
  let size = blobSizes.get(pooled)
  if (size === undefined) {
    size = encodePooledTransaction(pooled).length
    blobSizes.set(pooled, size)
  }
  return size
}

/** A message with transactions of the pool. */
export interface PooledTransactionsMessage extends Transactions {
  readonly transactions: readonly PooledTransaction[]
}

/** Messages with whole transactions; those with blobs are left out, since they are only announced (EIP-4844). */
export function transactionMessages(pooled: readonly PooledTransaction[]): PooledTransactionsMessage[] {
  const messages: PooledTransactionsMessage[] = []
  let batch: PooledTransaction[] = []
  let bytes = 0
  for (const one of pooled) {
    if (one.transaction.type === 3 || !isSent(one)) continue
    if (batch.length > 0 && bytes + one.encoding.length > MAX_TRANSACTIONS_MESSAGE_BYTES) {
      messages.push({ kind: 'transactions', transactions: batch })
      batch = []
      bytes = 0
    }
    batch.push(one)
    bytes += one.encoding.length
  }
  if (batch.length > 0) messages.push({ kind: 'transactions', transactions: batch })
  return messages
}

/** Hashes of announced transactions, one slice per request. */
export function requestedHashes(hashes: readonly Uint8Array[]): Uint8Array[][] {
  return slices(hashes, MAX_REQUESTED_TRANSACTIONS)
}

function slices<T>(items: readonly T[], length: number): T[][] {
  const batches: T[][] = []
  for (let at = 0; at < items.length; at += length) batches.push(items.slice(at, at + length))
  return batches
}
