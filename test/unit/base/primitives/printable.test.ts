import { describe, expect, it } from 'vitest'
import { isPrintable, printable } from '../../../../src/base/primitives/printable.ts'

describe('printable', () => {
  it('leaves ordinary text in any language as it is', () => {
    for (const text of ['', 'block 5', 'Grüße', '区块', '🦄 100 %', '"\\']) {
      expect(isPrintable(text)).toBe(true)
      expect(printable(text)).toBe(text)
    }
  })

  it('escapes everything that a terminal obeys', () => {
    expect(printable('\x1b[31mred\x1b[0m')).toBe('\\u001b[31mred\\u001b[0m')
    expect(printable('a\r\nb\tc\x07\x7f\x9b2J')).toBe('a\\r\\nb\\tc\\u0007\\u007f\\u009b2J')
    expect(printable('\u202egnirts\u2066')).toBe('\\u202egnirts\\u2066')
  })
})
