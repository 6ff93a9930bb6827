import { findByReference, findHeader, pendingOf, requireHeader } from '../../../api/lookup.ts'
import type { ApiOptions } from '../../../api/options.ts'
import { loadBlock, minedTransaction, pendingReceiptViews, receiptOf, receiptViews } from '../../../api/views.ts'
import type { MinedTransaction } from '../../../api/viewTypes.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { PendingSource } from '../../../sealing/contract.ts'
import type { PoolReader } from '../../../txpool/contract.ts'
import { blockNumberOrTag, blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { receipt } from '../../codecs/receipt.ts'
import { hash32, index } from '../../codecs/scalars.ts'
import { arrayOf, nullable } from '../../codecs/support.ts'
import { minedTransaction as minedCodec, transactionInfo } from '../../codecs/transaction.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import {
  BLOCK_HASH,
  BLOCK_OR_PENDING,
  BLOCK_REFERENCE,
  TRANSACTION_HASH,
  TRANSACTION_INDEX,
} from '../support/parameterTexts.ts'
import { pendingView } from './pendingView.ts'

interface Backend {
  readonly chain: ChainReader
  readonly pending?: PendingSource | undefined
}

interface PoolBackend extends Backend {
  readonly pool: PoolReader
}

interface ReceiptsBackend extends Backend {
  readonly options: ApiOptions
}

function transactionAt(
  chain: ChainReader,
  header: ChainHeader | undefined,
  position: number,
): MinedTransaction | undefined {
  const block = header && loadBlock(chain, header)
  return block && minedTransaction(block, position)
}

/** Finds canonical transactions only. */
function locate(
  chain: ChainReader,
  hash: Uint8Array,
): { readonly header: ChainHeader; readonly index: number } | undefined {
  const location = chain.transactionLocation(hash)
  const header = location && chain.headerByHash(location.blockHash)
  return header && { header, index: location.index }
}

export const getTransactionByHash: MethodDefinition<PoolBackend> = defineMethod({
  name: 'eth_getTransactionByHash',
  group: 'ETH',
  answeredBy: 'main if absent',
  summary: 'A transaction, waiting in the pool or mined; null when unknown.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  exactParams: true,
  result: result('transaction', nullable(transactionInfo)),
  handler: ({ chain, pool }: PoolBackend, [hash]) => {
    const pending = pool.byHash(hash)
    if (pending !== undefined) return pendingView(pending)
    const location = locate(chain, hash)
    return location && transactionAt(chain, location.header, location.index)
  },
})

export const getTransactionByBlockHashAndIndex: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getTransactionByBlockHashAndIndex',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'A transaction of a block; null when unknown.',
  params: [param('hash', hash32, BLOCK_HASH), param('index', index, TRANSACTION_INDEX)],
  result: result('transaction', nullable(minedCodec)),
  handler: ({ chain }: Backend, [hash, position]) => transactionAt(chain, chain.headerByHash(hash), position),
})

export const getTransactionByBlockNumberAndIndex: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'A transaction of a canonical block; null when unknown.',
  params: [param('block', blockNumberOrTag, BLOCK_OR_PENDING), param('index', index, TRANSACTION_INDEX)],
  result: result('transaction', nullable(minedCodec)),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain, pending }: Backend, [reference, position]) => {
    const pendingBlock = pendingOf(reference, pending)
    if (pendingBlock !== undefined) return minedTransaction(pendingBlock, position)
    return transactionAt(chain, findHeader(chain, reference), position)
  },
})

export const getTransactionReceipt: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getTransactionReceipt',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Receipt of a mined transaction; null when unknown or not mined yet.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('receipt', nullable(receipt)),
  handler: ({ chain }: Backend, [hash]) => receiptOf(chain, hash),
})

export const getBlockReceipts: MethodDefinition<ReceiptsBackend> = defineMethod({
  name: 'eth_getBlockReceipts',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Receipts of all transactions of a block; null (an error in the besu profile) when the block is unknown.',
  params: [
    param(
      'block',
      blockNumberOrTagOrHash,
      `${BLOCK_REFERENCE} The profile \`geth\` answers null for an unknown block, \`besu\` an error.`,
    ),
  ],
  result: result('receipts', nullable(arrayOf(receipt))),
  errors: ['UNKNOWN_BLOCK', 'BLOCK_NOT_FOUND'],
  handler: ({ chain, pending, options }: ReceiptsBackend, [reference]) => {
    const pendingBlock = pendingOf(reference, pending)
    if (pendingBlock !== undefined) return pendingReceiptViews(chain, pendingBlock)
    if (options.profile === 'besu') return receiptViews(chain, requireHeader(chain, reference))
    const header = findByReference(chain, reference)
    return header && receiptViews(chain, header)
  },
})
