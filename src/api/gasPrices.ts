/**
 * Price suggestions based on recent blocks.
 * @module
 */

import type { ChainReader } from '../chain/contract.ts'
import { effectiveGasPrice } from '../chain/fees.ts'
import { nextBaseFeeOf } from '../chain/nextBlock.ts'
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

/** Percentile of the `gasPrice` of the transactions in the blocks before the head, within bounds. */
function gasPriceOfRecentBlocks(chain: ChainReader, options: ApiOptions, minimum: bigint): bigint {
  const head = Number(chain.head.header.number)
  const prices: bigint[] = []
  for (let number = Math.max(firstRecent(chain), head - options.gasPriceBlocks); number < head; number++) {
    const header = chain.headerByNumber(number)
    for (const transaction of (header && chain.body(header.hash))?.transactions ?? []) {
      if ('gasPrice' in transaction) prices.push(transaction.gasPrice)
    }
  }
  const price = percentile(prices.sort(byAmount), options.gasPricePercentile)
  return price === undefined ? minimum : clamp(price, minimum, options.gasPriceMax)
}

/** Percentile of the priority fees that the transactions in the blocks before the head offer; 0 without any. */
export function priorityFeeOfRecentBlocks(chain: ChainReader, options: ApiOptions): bigint {
  const head = Number(chain.head.header.number)
  const fees: bigint[] = []
  for (let number = Math.max(firstRecent(chain), head - options.gasPriceBlocks); number < head; number++) {
    const header = chain.headerByNumber(number)
    for (const transaction of (header && chain.body(header.hash))?.transactions ?? []) {
      if ('maxPriorityFeePerGas' in transaction) fees.push(transaction.maxPriorityFeePerGas)
    }
  }
  return percentile(fees.sort(byAmount), options.gasPricePercentile) ?? 0n
}

/** Percentile of the lowest priority fees of recent blocks. */
export function suggestedPriorityFee(chain: ChainReader, options: ApiOptions): bigint {
  const head = Number(chain.head.header.number)
  const fees: bigint[] = []
  for (let number = head; number > Math.max(firstRecent(chain), head - PRIORITY_FEE_BLOCKS); number--) {
    const header = chain.headerByNumber(number)
    const body = header && chain.body(header.hash)
    if (header === undefined || body === undefined) continue
    const baseFee = header.header.baseFeePerGas
    const tips = body.transactions.map((transaction) => effectiveGasPrice(transaction, baseFee) - (baseFee ?? 0n))
    fees.push(
      ...tips
        .filter((tip) => tip > 0n)
        .sort(byAmount)
        .slice(0, PRIORITY_FEE_SAMPLES),
    )
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
