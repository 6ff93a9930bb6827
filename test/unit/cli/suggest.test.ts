import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closest, editDistance, optionHint, wordHint } from '../../../src/cli/suggest.ts'

describe('the edit distance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['chain-id', 'chain-id', 0],
    ['chainid', 'chain-id', 1],
    ['chian-id', 'chain-id', 1],
    ['mnemnoic', 'mnemonic', 1],
    ['prot', 'port', 1],
    ['sitting', 'kitten', 3],
  ])('of "%s" and "%s" is %d', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
  })

  it('is symmetric, and at most the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b)
        expect(distance).toBe(editDistance(b, a))
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
        expect(distance === 0).toBe(a === b)
      }),
    )
  })
})

it('the closest word is similar, in any case', () => {
  const words = ['accounts', 'balance', 'mnemonic', 'port']
  expect(closest('acounts', words)).toBe('accounts')
  expect(closest('BALANCE', words)).toBe('balance')
  expect(closest('prot', words)).toBe('port')
  expect(closest('xyz', words)).toBeUndefined()
  expect(closest('foo', words)).toBeUndefined()
  expect(closest('port', [])).toBeUndefined()
})

it('hints end a message', () => {
  expect(optionHint('--acounts', ['accounts'])).toBe('. Did you mean --accounts?')
  expect(optionHint('--zzzzz', ['accounts'])).toBe('')
  expect(optionHint('--allow-origin', ['allow'])).toBe(': use --rpc-http-cors-origins.')
  expect(optionHint('--enable-tx-gas-limit', ['target-gas-limit'])).toContain('--allow-unlimited-gas lifts it')
  expect(optionHint('--no-request-size-limit', [])).toBe(': use --rpc-http-max-request-content-length.')
  expect(optionHint('--constructor', [])).toBe('')
  expect(wordHint('imprt', ['import', 'export'])).toBe('. Did you mean import?')
})
