import { describe, expect, it } from 'vitest'
import { LogMatcher } from '../../src/api/logMatcher.ts'
import { logFilter } from '../../src/rpc/codecs/filter.ts'
import { logsBloom } from '../../src/types/bloom.ts'

const bytes = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill)
const topic = (fill: number): string => `0x${fill.toString(16).padStart(2, '0').repeat(32)}`

const log = { address: bytes(20, 1), topics: [bytes(32, 2), bytes(32, 3)], data: new Uint8Array(0) }
const bloom = logsBloom([log])

function matches(filter: unknown): boolean {
  const matcher = new LogMatcher(logFilter.parse(filter))
  const found = matcher.matches(log)
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
