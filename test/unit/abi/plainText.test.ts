import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainLines, plainText } from '../../../src/abi/plainText.ts'

/** Everything that a terminal could act on or that hides or reorders text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not occur
const HOSTILE = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/

describe('text from outside', () => {
  it.each([
    ['an escape sequence', '\x1b[2J\x1b]0;title\x07', '\\x1b[2J\\x1b]0;title\\x07'],
    ['an 8-bit sequence', '\u009b31mred', '\\x9b31mred'],
    ['direction overrides', 'a\u202ecba\u2066', 'a\\u{202e}cba\\u{2066}'],
    ['invisible characters', 'a\u200bb\ufeffc\u00ad', 'a\\u{200b}b\\u{feff}c\\xad'],
    ['a carriage return', 'good\rbad', 'good\\x0dbad'],
    ['a tag', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ])('%s is escaped', (_, text, expected) => {
    expect(plainText(text, 100)).toBe(expected)
  })

  it('other characters remain', () => {
    expect(plainText('Grüße, 世界 👩‍🚀 "quoted"', 100)).toBe('Grüße, 世界 👩‍🚀 "quoted"')
  })

  it('is cut', () => {
    expect(plainText('x'.repeat(50), 10)).toBe(`${'x'.repeat(10)}… (50 characters)`)
    expect(plainLines('a\nb\tc\nd', 100, 2)).toEqual(['a', 'b  c', '… (7 characters)'])
    expect(plainLines('a\r\nb', 100, 5)).toEqual(['a', 'b'])
  })

  it('never contains anything that a terminal acts on', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(plainText(text, 200)).not.toMatch(HOSTILE)
        for (const line of plainLines(text, 200, 5)) expect(line).not.toMatch(HOSTILE)
      }),
      { numRuns: 500 },
    )
  })
})
