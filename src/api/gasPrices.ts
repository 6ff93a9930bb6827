/**
 * Price suggestions based on recent blocks.
 * @module
 */

import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import { effectiveGasPrice } from '../chain/fees.ts'
import { nextBaseFeeOf } from '../chain/nextBlock.ts'
import type { Transaction } from '../types/transaction.ts'
import type { ApiOptions } from './options.ts'

/** Number of blocks that the priority fee is based on, and of transactions per block. */
const PRIORITY_FEE_BLOCKS = 20
const PRIORITY_FEE_SAMPLES = 3
const PRIORITY_FEE_PERCENTILE = 60

const byAmount = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** The element at a percentile of an ascending list; undefined for an empty one. */
function percentile(sorted: readonly bigint[], percent: number): bigint | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]
}

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  return value < low ? low : value > high ? high : value
}

/** A chain that continues another one does not ask its remote for blocks to suggest a price. */
function firstRecent({ genesis, lowestNumber }: ChainReader): number {
  const first = Number(genesis.header.number)
  return first === lowestNumber ? 0 : first
}

interface RecentPrice {
  readonly blocks: number
  readonly percent: number
  readonly price: bigint | undefined
}

/** Percentiles by head: wallets ask again and again, and each time all transactions of many blocks would be read. */
const recentGasPrices = new WeakMap<ChainHeader, RecentPrice>()
const recentPriorityFees = new WeakMap<ChainHeader, RecentPrice>()

/** Percentile of a price of the transactions in the blocks before the head; undefined without any. */
function recentPercentile(
  chain: ChainReader,
  { gasPriceBlocks, gasPricePercentile }: ApiOptions,
  known: WeakMap<ChainHeader, RecentPrice>,
  priceOf: (transaction: Transaction) => bigint | undefined,
): bigint | undefined {
  const { head } = chain
  const found = known.get(head)
  if (found?.blocks === gasPriceBlocks && found.percent === gasPricePercentile) return found.price
  const end = Number(head.header.number)
  const prices: bigint[] = []
  for (let number = Math.max(firstRecent(chain), end - gasPriceBlocks); number < end; number++) {
    const header = chain.headerByNumber(number)
    for (const transaction of (header && chain.body(header.hash))?.transactions ?? []) {
      const price = priceOf(transaction)
      if (price !== undefined) prices.push(price)
    }
  }
  const price = percentile(prices.sort(byAmount), gasPricePercentile)
  known.set(head, { blocks: gasPriceBlocks, percent: gasPricePercentile, price })
  return price
}

/** Percentile of the `gasPrice` of the transactions in the blocks before the head, within bounds. */
function gasPriceOfRecentBlocks(chain: ChainReader, options: ApiOptions, minimum: bigint): bigint {
  const price = recentPercentile(chain, options, recentGasPrices, (it) => ('gasPrice' in it ? it.gasPrice : undefined))
  return price === undefined ? minimum : clamp(price, minimum, options.gasPriceMax)
}

/** Percentile of the priority fees that the transactions in the blocks before the head offer; 0 without any. */
export function priorityFeeOfRecentBlocks(chain: ChainReader, options: ApiOptions): bigint {
  const feeOf = (it: Transaction): bigint | undefined =>
    'maxPriorityFeePerGas' in it ? it.maxPriorityFeePerGas : undefined
  return recentPercentile(chain, options, recentPriorityFees, feeOf) ?? 0n
}

/** The lowest priority fees of blocks, so that a suggestion does not read all transactions of twenty blocks each time. */
const lowestFees = new WeakMap<ChainHeader, readonly bigint[]>()

function lowestFeesOf(chain: ChainReader, block: ChainHeader): readonly bigint[] {
  const known = lowestFees.get(block)
  if (known !== undefined) return known
  const body = chain.body(block.hash)
  if (body === undefined) return []
  const baseFee = block.header.baseFeePerGas
  const fees = body.transactions
    .map((transaction) => effectiveGasPrice(transaction, baseFee) - (baseFee ?? 0n))
    .filter((fee) => fee > 0n)
    .sort(byAmount)
    .slice(0, PRIORITY_FEE_SAMPLES)
  lowestFees.set(block, fees)
  return fees
}

/** Percentile of the lowest priority fees of recent blocks. */
export function suggestedPriorityFee(chain: ChainReader, options: ApiOptions): bigint {
  const fees: bigint[] = []
  const first = firstRecent(chain)
  let block: ChainHeader | undefined = chain.head
  for (let i = 0; i < PRIORITY_FEE_BLOCKS && block !== undefined && Number(block.header.number) > first; i++) {
    fees.push(...lowestFeesOf(chain, block))
    block = chain.parentOf(block)
  }
  return clamp(
    percentile(fees.sort(byAmount), PRIORITY_FEE_PERCENTILE) ?? options.defaultPriorityFee,
    0n,
    options.gasPriceMax,
  )
}

/** A price with which a legacy transaction enters the next block: its base fee plus the suggested priority fee. */
function marketGasPrice(chain: ChainReader, options: ApiOptions, minimum: bigint): bigint {
  const baseFee = nextBaseFeeOf(chain.config, chain.head.header)
  if (baseFee === undefined) return gasPriceOfRecentBlocks(chain, options, minimum)
  return baseFee + suggestedPriorityFee(chain, options)
}

/** Suggested price of a legacy transaction. @param minimum wei */
export function suggestedGasPrice(chain: ChainReader, options: ApiOptions, minimum: bigint): bigint {
  const suggest = options.profile === 'geth' ? marketGasPrice : gasPriceOfRecentBlocks
  return suggest(chain, options, minimum)
}
