import { describe, expect, it } from 'vitest'
import { LogMatcher } from '../../../src/api/logMatcher.ts'
import { logFilter } from '../../../src/rpc/codecs/filter.ts'
import { logsBloom } from '../../../src/types/bloom.ts'
import { StoredLogWalk } from '../../../src/types/storedLogs.ts'
import { storedLogs } from '../../support/chains/storedLogs.ts'

const bytes = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill)
const topic = (fill: number): string => `0x${fill.toString(16).padStart(2, '0').repeat(32)}`

const log = { address: bytes(20, 1), topics: [bytes(32, 2), bytes(32, 3)], data: new Uint8Array(0) }
const bloom = logsBloom([log])

const stored = storedLogs({
  number: 1,
  blockHash: bytes(32, 0),
  transactions: [{ hash: bytes(32, 0), logs: [log] }],
})

function matches(filter: unknown): boolean {
  const matcher = new LogMatcher(logFilter.parse(filter))
  const walk = new StoredLogWalk(stored.receipts)
  walk.next()
  const found = matcher.matches(walk)
  // The bloom never excludes a matching log.
  if (found) expect(matcher.mayMatch(bloom)).toBe(true)
  return found
}

describe('LogMatcher', () => {
  it('matches every log without conditions', () => {
    expect(matches({})).toBe(true)
  })

  it('compares addresses', () => {
    expect(matches({ address: `0x${'01'.repeat(20)}` })).toBe(true)
    expect(matches({ address: [`0x${'09'.repeat(20)}`, `0x${'01'.repeat(20)}`] })).toBe(true)
    expect(matches({ address: `0x${'09'.repeat(20)}` })).toBe(false)
  })

  it('compares with many values', () => {
    const others = Array.from({ length: 300 }, (_, i) => `0x${i.toString(16).padStart(3, '0').repeat(13)}1`)
    // Equal at the end, where values are told apart first.
    const similar = Array.from({ length: 20 }, (_, i) => `0x${(i + 16).toString(16)}${'01'.repeat(19)}`)
    expect(matches({ address: [...others, ...similar] })).toBe(false)
    expect(matches({ address: [...others, ...similar, `0x${'01'.repeat(20)}`] })).toBe(true)
    const topics = Array.from({ length: 200 }, (_, i) => topic(i + 4))
    expect(matches({ topics: [null, topics.slice(0, 100)] })).toBe(false)
    expect(matches({ topics: [null, [...topics.slice(0, 100), topic(3)]] })).toBe(true)
  })

  it('compares topics by position, with alternatives', () => {
    expect(matches({ topics: [topic(2)] })).toBe(true)
    expect(matches({ topics: [null, topic(3)] })).toBe(true)
    expect(matches({ topics: [[topic(9), topic(2)]] })).toBe(true)
    expect(matches({ topics: [topic(3)] })).toBe(false)
    expect(matches({ topics: [[topic(9), null]] })).toBe(true)
  })

  it('matches any topic for an empty list of alternatives, but requires one', () => {
    expect(matches({ topics: [[]] })).toBe(true)
    expect(matches({ topics: [[], topic(3)] })).toBe(true)
    expect(matches({ topics: [[], topic(2)] })).toBe(false)
    expect(matches({ topics: [[], [], []] })).toBe(false)
  })

  it('requires at least as many topics as the filter has positions', () => {
    expect(matches({ topics: [null, null] })).toBe(true)
    expect(matches({ topics: [null, null, null] })).toBe(false)
  })

  it('skips blocks excluded by their bloom', () => {
    const matcher = new LogMatcher(logFilter.parse({ address: `0x${'77'.repeat(20)}` }))
    expect(matcher.mayMatch(new Uint8Array(256))).toBe(false)
  })
})
