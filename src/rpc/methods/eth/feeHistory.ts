import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { findHeader, pendingOf } from '../../../api/lookup.ts'
import type { ApiOptions } from '../../../api/options.ts'
import { blobBaseFeeOf } from '../../../api/views.ts'
import { MAX_FEE_HISTORY_BLOCKS, MAX_FEE_HISTORY_PERCENTILES } from '../../../base/limits/limits.ts'
import type { ChainHeader, ChainReader, PendingBlock } from '../../../chain/contract.ts'
import { effectiveGasPrice, GAS_PER_BLOB } from '../../../chain/fees.ts'
import { nextBaseFeeOf, nextBlobBaseFeeOf } from '../../../chain/nextBlock.ts'
import type { PendingSource } from '../../../sealing/contract.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { type FeeHistory, feeHistoryResult } from '../../codecs/fees.ts'
import { decimal, index } from '../../codecs/scalars.ts'
import { arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { BLOCK_OR_PENDING } from '../support/parameterTexts.ts'

interface Backend {
  readonly chain: ChainReader
  readonly options: ApiOptions
  readonly pending?: PendingSource | undefined
}

export const feeHistory: MethodDefinition<Backend> = defineMethod({
  name: 'eth_feeHistory',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Base fees, gas usage, and percentiles of priority fees of a range of blocks.',
  params: [
    param('blockCount', index, `Number of blocks, 1 to ${MAX_FEE_HISTORY_BLOCKS}.`),
    param('newestBlock', blockNumberOrTag, `Last block. ${BLOCK_OR_PENDING}`),
    optional(
      'rewardPercentiles',
      arrayOf(decimal),
      'Percentiles from 0 to 100 of the priority fees in each block, weighted by gas. Absent: no rewards. The profile `geth` requires ascending order.',
    ),
  ],
  result: result('history', feeHistoryResult),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain, options, pending }: Backend, [count, newestBlock, percentiles]): FeeHistory => {
    if (count < 1 || count > MAX_FEE_HISTORY_BLOCKS)
      throw unexpectedValue(`1 to ${MAX_FEE_HISTORY_BLOCKS}`, String(count), 'blockCount')
    const pendingBlock = pendingOf(newestBlock, pending)
    const newest = pendingBlock?.header ?? findHeader(chain, newestBlock)
    if (newest === undefined) throw invalidParams('request beyond head block')
    const headers = range(chain, newest, count)
    const sorted = checkedPercentiles(percentiles, options)
    return {
      oldestBlock: Number(headers[0]?.header.number),
      baseFeePerGas: [
        ...headers.map(({ header }) => header.baseFeePerGas ?? 0n),
        nextBaseFeeOf(chain.config, newest.header) ?? 0n,
      ],
      gasUsedRatio: headers.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit)),
      reward: sorted && headers.map((header) => rewards(paidIn(chain, header, pendingBlock), header, sorted)),
      blobs: options.profile === 'geth' ? blobHistory(chain, headers) : undefined,
    }
  },
})

function range(chain: ChainReader, newest: ChainHeader, count: number): ChainHeader[] {
  const last = Number(newest.header.number)
  const headers: ChainHeader[] = []
  // Blocks of a remote are fetched together, with what the rewards need.
  if (chain.lowestNumber < Number(chain.genesis.header.number)) chain.storedLogs(numbersTo(last, count))
  for (let number = Math.max(0, last - count + 1); number < last; number++) {
    const header = chain.headerByNumber(number)
    if (header !== undefined) headers.push(header)
  }
  headers.push(newest)
  return headers
}

function numbersTo(last: number, count: number): number[] {
  const first = Math.max(0, last - count + 1)
  return Array.from({ length: last - first }, (_, i) => first + i)
}

function checkedPercentiles(percentiles: readonly number[] | undefined, options: ApiOptions): number[] | undefined {
  if (percentiles === undefined) return undefined
  if (percentiles.length > MAX_FEE_HISTORY_PERCENTILES)
    throw unexpectedValue(`at most ${MAX_FEE_HISTORY_PERCENTILES}`, String(percentiles.length), 'rewardPercentiles')
  const sorted = [...percentiles].sort((a, b) => a - b)
  if (options.profile === 'geth') {
    if (sorted.some((percentile, at) => percentile !== percentiles[at])) {
      throw invalidParams('invalid reward percentile: must be ascending')
    }
    if (sorted.some((percentile) => percentile < 0 || percentile > 100))
      throw invalidParams('invalid reward percentile', {
        expected: '0 to 100',
        got: percentiles.join(', ').slice(0, 60),
      })
  }
  return sorted
}

interface PaidGas {
  /** wei */
  readonly tip: bigint
  readonly gas: number
}

/** Effective tip and gas used of each transaction in a block. */
function paidIn(chain: ChainReader, header: ChainHeader, pendingBlock: PendingBlock | undefined): PaidGas[] {
  const isPending = header === pendingBlock?.header
  const transactions = (isPending ? pendingBlock.body : chain.body(header.hash))?.transactions ?? []
  const receipts = (isPending ? pendingBlock.receipts : chain.receipts(header.hash)) ?? []
  const { baseFeePerGas } = header.header
  return transactions.map((transaction, at) => {
    const tip = effectiveGasPrice(transaction, baseFeePerGas) - (baseFeePerGas ?? 0n)
    return { tip: tip < 0n ? 0n : tip, gas: Number(receipts[at]?.gasUsed ?? 0n) }
  })
}

/** Returns for each percentile of the block's gas the priority fee of the transaction that used it, cheapest first. */
function rewards(paid: PaidGas[], { header }: ChainHeader, percentiles: readonly number[]): bigint[] {
  if (paid.length === 0) return percentiles.map(() => 0n)
  paid.sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  const total = Number(header.gasUsed)
  let at = 0
  let used = paid[0]?.gas ?? 0
  return percentiles.map((percentile) => {
    while (at < paid.length - 1 && (used * 100) / total < percentile) used += paid[++at]?.gas ?? 0
    return paid[at]?.tip ?? 0n
  })
}

function blobHistory(chain: ChainReader, headers: readonly ChainHeader[]): NonNullable<FeeHistory['blobs']> {
  const newest = headers[headers.length - 1] as ChainHeader
  return {
    baseFeePerBlobGas: [
      ...headers.map((header) => blobBaseFeeOf(chain, header) ?? 0n),
      nextBlobBaseFeeOf(chain.config, newest.header) ?? 0n,
    ],
    gasUsedRatio: headers.map(({ header }) => {
      const { blobs } = chain.config.rulesAt(header)
      if (header.blobGasUsed === undefined || blobs === undefined) return 0
      return Number(header.blobGasUsed) / Number(blobs.max * GAS_PER_BLOB)
    }),
  }
}
