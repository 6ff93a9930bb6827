/**
 * Failed transactions whose reason has a text.
 * @module
 */
import { count, toQuantity } from '../../format/hex.ts'
import type { Ask } from '../../rpc/ask.ts'
import type { Summary } from '../../rpc/isonode.ts'
import type { Block, Receipt } from '../../rpc/types.ts'

export interface Failure {
  readonly hash: string
  readonly block: number
  readonly sentence: string
}

export interface FailureSearch {
  readonly failures: readonly Failure[]
  /** Lowest block that was searched. */
  readonly from: number
  /** Failed transactions that were looked at. */
  readonly looked: number
}

/** Blocks of one search. */
const BLOCKS_PER_SEARCH = 200
/** Each is executed again by the node. */
const MAX_LOOKED = 100

/** @param to the highest block that is searched */
export async function searchFailures(ask: Ask, query: string, to: number): Promise<FailureSearch> {
  const from = Math.max(0, to - BLOCKS_PER_SEARCH + 1)
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => toQuantity(to - i))
  const blocks = await Promise.all(numbers.map((number) => ask<Block | null>('eth_getBlockByNumber', number, false)))
  const used = blocks.filter((block) => block !== null && block.transactions.length > 0) as Block[]
  const receipts = await Promise.all(
    used.map(({ number }) => ask<readonly (Receipt & Located)[] | null>('eth_getBlockReceipts', number)),
  )
  const failed = receipts
    .flatMap((list) => list ?? [])
    .filter(({ status }) => status === '0x0')
    .slice(0, MAX_LOOKED)
  const text = query.toLowerCase()
  const failures: Failure[] = []
  for (const { transactionHash, blockNumber } of failed) {
    const summary = await ask<Summary | null>('isonode_summary', transactionHash)
    if (summary === null || !reasonOf(summary).toLowerCase().includes(text)) continue
    failures.push({ hash: transactionHash, block: count(blockNumber), sentence: summary.sentence })
  }
  return { failures, from, looked: failed.length }
}

interface Located {
  readonly transactionHash: string
  readonly blockNumber: string
}

function reasonOf({ sentence, error, errorText }: Summary): string {
  return [sentence, error?.signature, errorText].filter(Boolean).join('\n')
}
