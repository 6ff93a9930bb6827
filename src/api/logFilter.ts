/**
 * Conditions of a log query or feed.
 * @module
 */
import type { BlockNumberOrTag } from './blockReference.ts'

/** One position: undefined matches any topic, a list matches each of its topics. */
export type TopicFilter = readonly Uint8Array[] | undefined

export interface LogFilter {
  readonly fromBlock: BlockNumberOrTag | undefined
  readonly toBlock: BlockNumberOrTag | undefined
  /** Replaces a range. */
  readonly blockHash: Uint8Array | undefined
  /** Empty: any. 20 bytes each */
  readonly addresses: readonly Uint8Array[]
  /** A log needs at least this number of topics. */
  readonly topics: readonly TopicFilter[]
}

/** Number of addresses and topics of a filter: a measure of its memory and matching cost. */
export function criteriaCount({ addresses: list, topics: positions }: Pick<LogFilter, 'addresses' | 'topics'>): number {
  return positions.reduce((count, alternatives) => count + (alternatives?.length ?? 0), list.length)
}
