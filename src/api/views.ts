/**
 * Assembles block, transaction and receipt objects from stored data.
 * @module
 */
import type { ChainHeader, ChainReader, PendingBlock } from '../chain/contract.ts'
import { blobBaseFee } from '../chain/fees.ts'
import type { BlockBody } from '../types/block.ts'
import { hashHeader } from '../types/headerCodec.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import type { BlockView, MinedTransaction, ReceiptView } from './viewTypes.ts'

/** A stored block with its related data; undefined when the body is not stored. */
export interface LoadedBlock {
  readonly header: ChainHeader
  readonly body: BlockBody
  readonly senders: readonly Uint8Array[]
  readonly transactionHashes: readonly Uint8Array[]
}

export function loadBlock(chain: ChainReader, header: ChainHeader): LoadedBlock | undefined {
  const body = chain.body(header.hash)
  const senders = chain.senders(header.hash)
  const transactionHashes = chain.transactionHashes(header.hash)
  if (body === undefined || senders === undefined || transactionHashes === undefined) return undefined
  return { header, body, senders, transactionHashes }
}

/** @param full whole transactions instead of their hashes */
export function blockView(chain: ChainReader, header: ChainHeader, full: boolean): BlockView | undefined {
  const body = chain.body(header.hash)
  const size = chain.blockSize(header.hash)
  const transactions = full ? minedTransactions(chain, header) : chain.transactionHashes(header.hash)
  if (body === undefined || size === undefined || transactions === undefined) return undefined
  return {
    header: header.header,
    hash: header.hash,
    totalDifficulty: header.totalDifficulty,
    size,
    transactions,
    ommerHashes: body.ommers.map(hashHeader),
    withdrawals: body.withdrawals,
  }
}

/** @param full whole transactions instead of their hashes */
export function pendingBlockView(block: PendingBlock, full: boolean): BlockView {
  const { header, body, transactionHashes, size } = block
  return {
    header: header.header,
    hash: header.hash,
    totalDifficulty: header.totalDifficulty,
    size,
    transactions: full
      ? transactionHashes.map((_, index) => minedTransaction(block, index) as MinedTransaction)
      : transactionHashes,
    ommerHashes: [],
    withdrawals: body.withdrawals,
    isPending: true,
  }
}

function minedTransactions(chain: ChainReader, header: ChainHeader): MinedTransaction[] | undefined {
  const block = loadBlock(chain, header)
  if (block === undefined) return undefined
  return block.body.transactions.map((_, index) => minedTransaction(block, index) as MinedTransaction)
}

/** undefined when the block has no transaction at this index. */
export function minedTransaction(block: LoadedBlock, index: number): MinedTransaction | undefined {
  const transaction = block.body.transactions[index]
  const hash = block.transactionHashes[index]
  const from = block.senders[index]
  if (transaction === undefined || hash === undefined || from === undefined) return undefined
  const { header } = block.header
  return {
    transaction,
    hash,
    from,
    blockHash: block.header.hash,
    blockNumber: header.number,
    index,
    baseFeePerGas: header.baseFeePerGas,
  }
}

/** Receipts of a block in order; undefined when they are not stored. */
export function receiptViews(chain: ChainReader, header: ChainHeader): ReceiptView[] | undefined {
  const block = loadBlock(chain, header)
  const receipts = chain.receipts(header.hash)
  return block === undefined || receipts === undefined ? undefined : receiptsOf(chain, block, receipts)
}

export function pendingReceiptViews(chain: ChainReader, block: PendingBlock): ReceiptView[] {
  return receiptsOf(chain, block, block.receipts)
}

function receiptsOf(chain: ChainReader, block: LoadedBlock, receipts: readonly StoredReceipt[]): ReceiptView[] {
  const { header } = block
  const blobFee = blobBaseFeeOf(chain, header)
  const views: ReceiptView[] = []
  let firstLogIndex = 0
  for (const [index, receipt] of receipts.entries()) {
    const view = receiptView(block, receipt, index, firstLogIndex, blobFee)
    if (view !== undefined) views.push(view)
    firstLogIndex += receipt.logs.length
  }
  return views
}

/** Receipt of a canonical transaction; undefined when it is unknown or not mined yet. */
export function receiptOf(chain: ChainReader, transactionHash: Uint8Array): ReceiptView | undefined {
  const location = chain.transactionLocation(transactionHash)
  const header = location && chain.headerByHash(location.blockHash)
  return header && receiptViewAt(chain, header, location.index)
}

function receiptViewAt(chain: ChainReader, header: ChainHeader, index: number): ReceiptView | undefined {
  const block = loadBlock(chain, header)
  const receipts = chain.receipts(header.hash)
  const receipt = receipts?.[index]
  if (block === undefined || receipts === undefined || receipt === undefined) return undefined
  let firstLogIndex = 0
  for (let before = 0; before < index; before++) firstLogIndex += receipts[before]?.logs.length ?? 0
  return receiptView(block, receipt, index, firstLogIndex, blobBaseFeeOf(chain, header))
}

function receiptView(
  block: LoadedBlock,
  receipt: StoredReceipt,
  index: number,
  firstLogIndex: number,
  blobFee: bigint | undefined,
): ReceiptView | undefined {
  const mined = minedTransaction(block, index)
  if (mined === undefined) return undefined
  const { transaction, hash, from, blockHash, blockNumber, baseFeePerGas } = mined
  return {
    transaction,
    hash,
    from,
    blockHash,
    blockNumber,
    index,
    baseFeePerGas,
    receipt,
    firstLogIndex,
    blobBaseFee: blobFee,
  }
}

/** Price of one unit of blob gas in the block; undefined before Cancun. */
export function blobBaseFeeOf(chain: ChainReader, { header }: ChainHeader): bigint | undefined {
  const { blobs } = chain.config.rulesAt(header)
  if (header.excessBlobGas === undefined || blobs === undefined) return undefined
  return blobBaseFee(header.excessBlobGas, blobs)
}
