/**
 * Tests whether a log, or any log of a block, matches a filter.
 * @module
 */
import { ByteSet } from '../base/primitives/byteSet.ts'
import { BloomQuestion } from '../types/bloom.ts'
import { MAX_LOG_TOPICS } from '../types/receipt.ts'
import { type LogLocation, TOPIC_STRIDE } from '../types/storedLogs.ts'
import type { LogFilter } from './logFilter.ts'

export class LogMatcher {
  readonly addresses: LogFilter['addresses']
  readonly topics: LogFilter['topics']
  readonly #bloom: BloomQuestion
  readonly #addressSet: ByteSet | undefined
  readonly #topicSets: readonly (ByteSet | undefined)[]

  constructor({ addresses, topics }: Pick<LogFilter, 'addresses' | 'topics'>) {
    this.addresses = addresses
    this.topics = topics
    const lists = topics.filter((alternatives) => alternatives !== undefined)
    this.#bloom = new BloomQuestion(addresses.length > 0 ? [addresses, ...lists] : lists)
    this.#addressSet = addresses.length > 0 ? new ByteSet(addresses) : undefined
    this.#topicSets = topics.map((alternatives) => alternatives && new ByteSet(alternatives))
  }

  /** false: no log of a block with this bloom matches. */
  mayMatch(bloom: Uint8Array): boolean {
    return this.topics.length <= MAX_LOG_TOPICS && this.#bloom.mayHold(bloom)
  }

  /** Compares the bytes of a stored log. */
  matches({ bytes, address, topicCount, topics }: LogLocation): boolean {
    const sets = this.#topicSets
    if (topicCount < sets.length) return false
    // The last condition usually is the rarest: many logs share their contract and event.
    for (let i = sets.length - 1; i >= 0; i--) {
      if (sets[i]?.hasAt(bytes, topics + i * TOPIC_STRIDE) === false) return false
    }
    return this.#addressSet?.hasAt(bytes, address) !== false
  }
}
