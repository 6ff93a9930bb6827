import { describe, expect, it } from 'vitest'
import { ADDRESS, AMOUNT, NATURAL, parseAmount, parseTime, WORD } from '../../../../adapters/page/format/inputKinds.ts'

describe('input of forms', () => {
  it.each([
    ['1', 10n ** 18n],
    ['1.5', 15n * 10n ** 17n],
    ['.5 eth', 5n * 10n ** 17n],
    ['3 gwei', 3_000_000_000n],
    ['0.0000000001 GWEI', undefined],
    ['1 000 wei', 1000n],
    ['1.5 wei', undefined],
    ['', undefined],
    ['.', undefined],
    ['-1', undefined],
    ['1 finney', undefined],
  ])('reads the amount %s', (text, wei) => expect(parseAmount(text)).toBe(wei))

  it.each([
    ['1700000000', 1_700_000_000],
    ['2027-01-31', 1_801_353_600],
    ['2027-01-31 12:00', 1_801_396_800],
    ['2027-01-31T12:00:01Z', 1_801_396_801],
    ['2027-13-31', undefined],
    ['1969-12-31', undefined],
    ['tomorrow', undefined],
    ['-5', undefined],
  ])('reads the time %s', (text, seconds) => expect(parseTime(text)).toBe(seconds))

  it('gives parameters of JSON-RPC', () => {
    expect(AMOUNT.read('2 wei')).toBe('0x2')
    expect(NATURAL.read('1 024')).toBe('0x400')
    expect(NATURAL.read('-1')).toBeUndefined()
    expect(WORD.read('0xff')).toBe(`0x${'ff'.padStart(64, '0')}`)
    expect(WORD.read(`0x1${'0'.repeat(64)}`)).toBeUndefined()
    expect(ADDRESS.read(` 0x${'aB'.repeat(20)} `)).toBe(`0x${'aB'.repeat(20)}`)
    expect(ADDRESS.read('0xab')).toBeUndefined()
  })
})
