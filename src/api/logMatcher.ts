/**
 * Tests whether a log, or any log of a block, matches a filter.
 * @module
 */
import { equalBytes } from '../primitives/bytes.ts'
import { BloomQuestion } from '../types/bloom.ts'
import { type Log, MAX_LOG_TOPICS } from '../types/receipt.ts'
import type { LogFilter } from './logFilter.ts'

export class LogMatcher {
  readonly addresses: LogFilter['addresses']
  readonly topics: LogFilter['topics']
  readonly #bloom: BloomQuestion

  constructor({ addresses, topics }: Pick<LogFilter, 'addresses' | 'topics'>) {
    this.addresses = addresses
    this.topics = topics
    const lists = topics.filter((alternatives) => alternatives !== undefined)
    this.#bloom = new BloomQuestion(addresses.length > 0 ? [addresses, ...lists] : lists)
  }

  /** false: no log of a block with this bloom matches. */
  mayMatch(bloom: Uint8Array): boolean {
    return this.topics.length <= MAX_LOG_TOPICS && this.#bloom.mayHold(bloom)
  }

  matches(log: Log): boolean {
    if (log.topics.length < this.topics.length) return false
    if (this.addresses.length > 0 && !this.addresses.some((address) => equalBytes(address, log.address))) return false
    return this.topics.every((alternatives, at) => {
      const topic = log.topics[at]
      return (
        alternatives === undefined || (topic !== undefined && alternatives.some((value) => equalBytes(value, topic)))
      )
    })
  }
}
