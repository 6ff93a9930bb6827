/**
 * Blocks that are stored without execution together with received receipts: blocks below the one from which a
 * synchronising node has the state. Headers, bodies and receipts are validated against each other.
 * @module
 */
import type { AbortSignal } from '../base/ports/webTypes.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { createAddress } from '../types/address.ts'
import type { Header } from '../types/block.ts'
import { mergeBloom } from '../types/bloom.ts'
import type { Receipt, StoredReceipt } from '../types/receipt.ts'
import type { ChainHeader, ImportOutcome } from './contract.ts'
import { blobGas } from './fees.ts'
import type { PreparedBlock } from './preparedBlock.ts'
import { checkHash } from './validation/bodyRules.ts'
import { receiptsRoot } from './validation/resultRules.ts'

export interface InsertedBlock {
  readonly prepared: PreparedBlock
  /** One per transaction, in order. */
  readonly receipts: readonly Receipt[]
}

export interface InsertOptions {
  /** false: the seal is assumed to be valid. Default true. */
  readonly verifySeal?: boolean
  /**
   * true: if all blocks are accepted, the last one becomes the head and all below it canonical. Its state is not
   * available. Default false: the blocks are only stored.
   */
  readonly isPivot?: boolean
  /** Checked between blocks: accepted blocks are committed, the rest is omitted. */
  readonly signal?: AbortSignal
}

export type InsertOutcome =
  /** Stored without its state. */
  { readonly kind: 'inserted'; readonly block: ChainHeader } | Exclude<ImportOutcome, { readonly kind: 'imported' }>

const BLOOM_BYTES = 256

/** @returns why the receipts do not belong to the block; undefined when they do */
export function checkReceipts({ prepared, receipts }: InsertedBlock): string | undefined {
  const { header, transactions } = prepared.block
  if (receipts.length !== transactions.length) {
    return `invalid receipts: ${receipts.length} of them, must be ${transactions.length}`
  }
  return (
    checkHash('receipts root', header.receiptsRoot, receiptsRoot(receipts)) ??
    checkGas(header, receipts) ??
    checkBloom(header, receipts) ??
    checkBlobGas(prepared)
  )
}

/** Receipts with values derived from them and their transactions. */
export function storedReceipts({ prepared, receipts }: InsertedBlock): StoredReceipt[] {
  const { block, transactions } = prepared
  let gasBefore = 0n
  return receipts.map((receipt, i) => {
    const transaction = block.transactions[i]
    const sender = transactions.senders[i]
    const gasUsed = receipt.cumulativeGasUsed - gasBefore
    gasBefore = receipt.cumulativeGasUsed
    const isCreation = transaction !== undefined && transaction.to === undefined && sender !== undefined
    return { ...receipt, gasUsed, ...(isCreation ? { contractAddress: createAddress(sender, transaction.nonce) } : {}) }
  })
}

function checkGas({ gasUsed }: Header, receipts: readonly Receipt[]): string | undefined {
  let before = 0n
  for (const [i, { cumulativeGasUsed }] of receipts.entries()) {
    if (cumulativeGasUsed < before) return `receipt ${i}: cumulative gas ${cumulativeGasUsed} is less than before`
    before = cumulativeGasUsed
  }
  return gasUsed === before ? undefined : `invalid gas used: ${gasUsed}, must be ${before}`
}

function checkBloom({ logsBloom }: Header, receipts: readonly Receipt[]): string | undefined {
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const receipt of receipts) mergeBloom(bloom, receipt.logsBloom)
  return equalBytes(bloom, logsBloom) ? undefined : 'invalid logs bloom: does not match the receipts'
}

function checkBlobGas({ block: { header, transactions } }: PreparedBlock): string | undefined {
  if (header.blobGasUsed === undefined) return undefined
  let gasUsed = 0n
  for (const transaction of transactions) gasUsed += blobGas(transaction)
  return header.blobGasUsed === gasUsed ? undefined : `invalid blob gas used: ${header.blobGasUsed}, must be ${gasUsed}`
}
