import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonScanner, type Wanted } from '../../../../src/abi/build/jsonScanner.ts'

const utf8 = new TextEncoder()

/** Values of a text by path: those that were given as text, and those at the places that were given. */
function scan(text: string, pieceBytes: number, wants: (path: string) => Wanted, maxTextBytes = 1_000) {
  const bytes = utf8.encode(text)
  const found = new Map<string, unknown>()
  const scanner = new JsonScanner(
    {
      wants: (path) => wants(path.join('.')),
      text: (path, value) => found.set(path.join('.'), value === undefined ? 'too long' : JSON.parse(value)),
      range: (path, { start, end }) => {
        found.set(path.join('.'), JSON.parse(new TextDecoder().decode(bytes.subarray(start, end))))
      },
      left: () => {},
    },
    maxTextBytes,
  )
  for (let at = 0; at < bytes.length; at += pieceBytes) scanner.push(bytes.subarray(at, at + pieceBytes))
  scanner.end()
  return found
}

describe('a long JSON text', () => {
  it('gives the values that are wanted, whatever the pieces', () => {
    const json = { a: { 'b"\\ü': [1, { c: ']}' }], d: 'x\\"y' }, e: -1.5e3, f: null, g: { h: {} } }
    const wants = (path: string): Wanted => {
      if (path === '' || path === 'a' || path === 'g') return 'enter'
      return path === 'f' ? 'skip' : path === 'a.d' ? 'text' : 'range'
    }
    for (const text of [JSON.stringify(json), JSON.stringify(json, undefined, 2)]) {
      for (const pieceBytes of [1, 2, 3, 7, 1_000]) {
        expect(Object.fromEntries(scan(text, pieceBytes, wants))).toEqual({
          'a.b"\\ü': json.a['b"\\ü'],
          'a.d': json.a.d,
          e: -1500,
          'g.h': {},
        })
      }
    }
  })

  it('is read like JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 1, max: 9 }), (json, pieceBytes) => {
        const text = JSON.stringify(json)
        const both: Wanted[] = ['text', 'range']
        for (const wanted of both) {
          const found = scan(text, pieceBytes, (path) => (path === '' && !Object.hasOwn(json, '') ? 'enter' : wanted))
          for (const [key, value] of Object.entries(JSON.parse(text) as object)) {
            if (!Object.hasOwn(json, '')) expect(found.get(key)).toEqual(value)
          }
        }
      }),
    )
  })

  it('gives no text beyond the limit', () => {
    const text = JSON.stringify({ a: 'x'.repeat(100), b: 'y' })
    expect(scan(text, 7, (path) => (path === '' ? 'enter' : 'text'), 50)).toEqual(
      new Map([
        ['a', 'too long'],
        ['b', 'y'],
      ]),
    )
  })

  it.each(['', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{a:1}', '{"a" 1}', '{"a":"x', '{}{}', '{"a":[1}'])(
    'is refused when it is %j',
    (text) => {
      const wants = (path: string): Wanted => (path === '' ? 'enter' : 'range')
      if (text !== '{"a":[1}') expect(() => scan(text, 1, wants)).toThrow(SyntaxError)
      // Values are checked when they are parsed.
      else expect(() => scan(text, 1, wants)).toThrow()
    },
  )
})
