/**
 * Whether a log, or any log of a block, can match a filter.
 * @module
 */
import { equalBytes } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { bloomContainsHashed } from '../types/bloom.ts'
import type { Log } from '../types/receipt.ts'
import type { LogFilter } from './codecs/filter.ts'

/** LOG4 */
const MAX_LOG_TOPICS = 4

export class LogMatcher {
  readonly #addresses: readonly Uint8Array[]
  readonly #topics: LogFilter['topics']
  /** Hashes of alternatives: the bloom has to have one of each. Made when a bloom is first looked at. */
  #hashes: readonly (readonly Uint8Array[])[] | undefined

  constructor(filter: Pick<LogFilter, 'addresses' | 'topics'>) {
    this.#addresses = filter.addresses
    this.#topics = filter.topics
  }

  /** false: no log of a block with this bloom matches. */
  mayMatch(bloom: Uint8Array): boolean {
    if (this.#topics.length > MAX_LOG_TOPICS) return false
    this.#hashes ??= this.#hashAlternatives()
    return this.#hashes.every((alternatives) => alternatives.some((hash) => bloomContainsHashed(bloom, hash)))
  }

  matches(log: Log): boolean {
    if (log.topics.length < this.#topics.length) return false
    if (this.#addresses.length > 0 && !this.#addresses.some((address) => equalBytes(address, log.address))) return false
    return this.#topics.every((alternatives, at) => {
      const topic = log.topics[at]
      return (
        alternatives === undefined || (topic !== undefined && alternatives.some((value) => equalBytes(value, topic)))
      )
    })
  }

  #hashAlternatives(): readonly (readonly Uint8Array[])[] {
    const alternatives = this.#topics.filter((topics) => topics !== undefined)
    if (this.#addresses.length > 0) alternatives.unshift(this.#addresses)
    return alternatives.map((values) => values.map(keccak256))
  }
}
