/**
 * Blocks in the form of Otterscan's pages.
 * @module
 */
import { findHeader } from '../../../api/lookup.ts'
import { blockView, receiptViews } from '../../../api/views.ts'
import type { MinedTransaction, ReceiptView } from '../../../api/viewTypes.ts'
import { quantity } from '../../../base/primitives/bytes.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { ConsensusSchedule } from '../../../chain/engine.ts'
import { effectiveGasPrice } from '../../../chain/fees.ts'
import { serializeBlock } from '../../codecs/block.ts'
import { serializeReceipt } from '../../codecs/receipt.ts'
import { hash32, index, json } from '../../codecs/scalars.ts'
import { listOf, objectSchema, RECEIPT, UINT256 } from '../../codecs/schemas.ts'
import { nullable } from '../../codecs/support.ts'
import { serializeMinedTransaction } from '../../codecs/transaction.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { BLOCK_HASH } from '../support/parameterTexts.ts'
import { OTS_BLOCK, otsBlock, PAGE_SIZE, pageSize } from './parameters.ts'

interface Backend {
  readonly chain: ChainReader
  readonly consensus: ConsensusSchedule
}

/** Bytes of call data that a list of transactions shows: the selector. */
const SELECTOR_BYTES = 4

const BLOCK_OBJECT = { title: 'OtsBlock', type: 'object' }
const ISSUANCE = objectSchema('Issuance', { blockReward: UINT256, uncleReward: UINT256, issuance: UINT256 })

const blockDetails: Codec<object> = json(
  objectSchema('OtsBlockDetails', { block: BLOCK_OBJECT, issuance: ISSUANCE, totalFees: UINT256 }),
)
const blockTransactions: Codec<object> = json(
  objectSchema('OtsBlockTransactions', { fullblock: BLOCK_OBJECT, receipts: listOf(RECEIPT) }),
)

/** The block without transactions and bloom, with the number of transactions. */
function blockObject(chain: ChainReader, header: ChainHeader): Record<string, unknown> | undefined {
  const view = blockView(chain, header, false)
  if (view === undefined) return undefined
  const { transactions, ...members } = serializeBlock(view)
  return { ...members, logsBloom: null, transactionCount: view.transactions.length }
}

/** The genesis block is issued with the accounts of the genesis, not by its author. */
function issuanceOf({ chain, consensus }: Backend, { header, hash }: ChainHeader): object {
  const ommers = chain.body(hash)?.ommers ?? []
  const engine = consensus.claimedBy(header)
  const rewards = engine.rewards({ header, ommers }, chain.config.rulesAt(header))
  const isGenesis = header.number === 0n
  const blockReward = isGenesis ? 0n : rewards.staticReward + rewards.ommerInclusionReward
  const uncleReward = rewards.ommerRewards.reduce((sum, reward) => sum + reward, 0n)
  return {
    blockReward: quantity(blockReward),
    uncleReward: quantity(uncleReward),
    issuance: quantity(blockReward + uncleReward),
  }
}

function feeOf({ transaction, baseFeePerGas, receipt }: ReceiptView): bigint {
  return effectiveGasPrice(transaction, baseFeePerGas) * receipt.gasUsed
}

function detailsOf(backend: Backend, header: ChainHeader | undefined): object | undefined {
  const block = header && blockObject(backend.chain, header)
  const receipts = header && receiptViews(backend.chain, header)
  if (header === undefined || block === undefined || receipts === undefined) return undefined
  const totalFees = receipts.reduce((sum, receipt) => sum + feeOf(receipt), 0n)
  return { block, issuance: issuanceOf(backend, header), totalFees: quantity(totalFees) }
}

export const getBlockDetails: MethodDefinition<Backend> = defineMethod({
  name: 'ots_getBlockDetails',
  group: 'OTS',
  summary: 'A block without its transactions, with their number, the fees and the rewards; null when unknown.',
  params: [param('block', otsBlock, OTS_BLOCK)],
  result: result('details', nullable(blockDetails)),
  errors: ['UNKNOWN_BLOCK'],
  handler: (backend: Backend, [reference]) => detailsOf(backend, findHeader(backend.chain, reference)),
})

export const getBlockDetailsByHash: MethodDefinition<Backend> = defineMethod({
  name: 'ots_getBlockDetailsByHash',
  group: 'OTS',
  summary: '`ots_getBlockDetails` of a block by its hash; null when unknown.',
  params: [param('hash', hash32, BLOCK_HASH)],
  result: result('details', nullable(blockDetails)),
  handler: (backend: Backend, [hash]) => detailsOf(backend, backend.chain.headerByHash(hash)),
})

function shortTransaction({ transaction, ...place }: MinedTransaction): object {
  const data = transaction.data.subarray(0, SELECTOR_BYTES)
  return serializeMinedTransaction({ ...place, transaction: { ...transaction, data } })
}

function receiptWithoutLogs(view: ReceiptView, timestamp: bigint): object {
  return { ...serializeReceipt(view), logs: null, logsBloom: null, timestamp: quantity(timestamp) }
}

/** Page 0 has the last transactions of the block, because Otterscan shows the newest first. */
function transactionsPage(
  chain: ChainReader,
  header: ChainHeader | undefined,
  page: number,
  size: number,
): object | undefined {
  const block = header && blockObject(chain, header)
  const views = header && receiptViews(chain, header)
  if (header === undefined || block === undefined || views === undefined) return undefined
  const end = Math.max(0, views.length - page * size)
  const shown = views.slice(Math.max(0, end - size), end)
  const { timestamp } = header.header
  return {
    fullblock: { ...block, transactions: shown.map(shortTransaction) },
    receipts: shown.map((view) => receiptWithoutLogs(view, timestamp)),
  }
}

export const getBlockTransactions: MethodDefinition<Backend> = defineMethod({
  name: 'ots_getBlockTransactions',
  group: 'OTS',
  summary:
    'A page of the transactions of a block, with the first 4 bytes of their data, and receipts without logs; null when the ' +
    'block is unknown.',
  params: [
    param('block', otsBlock, OTS_BLOCK),
    param('page', index, 'Page, from 0 on: page 0 has the last transactions of the block.'),
    param('pageSize', pageSize, PAGE_SIZE),
  ],
  result: result('page', nullable(blockTransactions)),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain }: Backend, [reference, page, size]) =>
    transactionsPage(chain, findHeader(chain, reference), page, size),
})
