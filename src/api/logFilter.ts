/**
 * Which logs a search or a feed is about.
 * @module
 */
import type { BlockNumberOrTag } from './blockReference.ts'

/** One position: undefined matches any topic, a list matches each of its topics. */
export type TopicFilter = readonly Uint8Array[] | undefined

export interface LogFilter {
  readonly fromBlock: BlockNumberOrTag | undefined
  readonly toBlock: BlockNumberOrTag | undefined
  /** Instead of a range. */
  readonly blockHash: Uint8Array | undefined
  /** Empty: any. 20 bytes each */
  readonly addresses: readonly Uint8Array[]
  /** A log needs at least as many topics. */
  readonly topics: readonly TopicFilter[]
}

/** Addresses and topics that a filter holds: what it costs to keep and to match. */
export function criteriaCount({ addresses: list, topics: positions }: Pick<LogFilter, 'addresses' | 'topics'>): number {
  return positions.reduce((count, alternatives) => count + (alternatives?.length ?? 0), list.length)
}
