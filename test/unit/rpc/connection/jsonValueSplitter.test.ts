import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { JsonValueSplitter } from '../../../../src/rpc/connection/jsonValueSplitter.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Splits bytes that arrive in pieces that end at these positions. */
function split(text: string, ends: readonly number[] = [], maxBytes = 1000) {
  const splitter = new JsonValueSplitter(maxBytes)
  const bytes = encoder.encode(text)
  const values: string[] = []
  let failure: string | undefined
  const at = [0, ...ends.map((end) => end % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (let i = 1; i < at.length; i++) {
    failure = splitter.push(bytes.slice(at[i - 1], at[i]), (value) => values.push(decoder.decode(value)))
  }
  return { values, failure, held: splitter.heldBytes }
}

describe('the splitter of JSON values', () => {
  it.each([
    ['values back to back', '{"a":1}{"b":[2]}[3]', ['{"a":1}', '{"b":[2]}', '[3]']],
    ['white space around them', ' \r\n{}\n\t[]\n', ['{}', '[]']],
    ['brackets in strings', '{"a":"}]{"}["{"]', ['{"a":"}]{"}', '["{"]']],
    ['escapes', String.raw`{"a":"\\"}{"b":"\"}"}`, [String.raw`{"a":"\\"}`, String.raw`{"b":"\"}"}`]],
    ['characters of several bytes', '{"ü":"€😀"}{}', ['{"ü":"€😀"}', '{}']],
  ])('finds %s', (_what, text, values) => {
    expect(split(text)).toEqual({ values, failure: undefined, held: 0 })
    for (let end = 1; end < text.length; end++) expect(split(text, [end]).values).toEqual(values)
  })

  it('finds any values, however they arrive', () => {
    const value = fc.oneof(fc.object(), fc.array(fc.jsonValue()))
    fc.assert(
      fc.property(fc.array(value), fc.array(fc.nat()), fc.constantFrom('', '\n', ' \r\n'), (items, ends, space) => {
        const texts = items.map((item) => JSON.stringify(item))
        expect(split(texts.join(space), ends, 1e6)).toEqual({ values: texts, failure: undefined, held: 0 })
      }),
    )
  })

  it('keeps a value whose end has not arrived', () => {
    expect(split('{}{"a":')).toEqual({ values: ['{}'], failure: undefined, held: 5 })
  })

  it.each(['5', '"a"', 'null', 'GET / HTTP/1.1', '{}]', '{},{}', '\u0000'])('calls %j garbage', (text) => {
    expect(split(text).failure).toBe('garbage')
  })

  it('finds nothing after garbage', () => {
    const splitter = new JsonValueSplitter(100)
    const values: Uint8Array[] = []
    expect(splitter.push(encoder.encode('{}x{}'), (value) => values.push(value))).toBe('garbage')
    expect(splitter.push(encoder.encode('{}'), (value) => values.push(value))).toBe('garbage')
    expect(values).toHaveLength(1)
  })

  it('limits the length of a value, however it arrives', () => {
    const longest = `["${'a'.repeat(6)}"]`
    expect(split(longest.repeat(3), [], 10).values).toHaveLength(3)
    for (const ends of [[], [1], [9, 10]]) {
      expect(split(`["${'a'.repeat(7)}"]`, ends, 10)).toMatchObject({ values: [], failure: 'too long' })
    }
    expect(split(`["${'a'.repeat(50)}`, [3, 4, 5], 10)).toMatchObject({ failure: 'too long', held: 0 })
  })

  it('copies bytes in proportion to their number, in pieces of any size', () => {
    const piece = encoder.encode('[[[[')
    const pieces = 20_000
    const splitter = new JsonValueSplitter(1e9)
    const copies = vi.spyOn(Uint8Array.prototype, 'set')
    for (let i = 0; i < pieces; i++) splitter.push(piece, () => {})
    const copied = copies.mock.calls.reduce((bytes, [part]) => bytes + part.length, 0)
    copies.mockRestore()
    expect(splitter.heldBytes).toBe(pieces * piece.length)
    // Each byte once, and again for each doubling of the buffer.
    expect(copied).toBeGreaterThanOrEqual(splitter.heldBytes)
    expect(copied).toBeLessThan(3 * splitter.heldBytes)
  })
})
