import { describe, expect, it } from 'vitest'
import { checksummed, count, quantity, shortened } from '../../../../adapters/page/format/hex.ts'
import {
  amount,
  byteSize,
  cutDecimals,
  fixedPoint,
  grouped,
  parseInteger,
  percent,
} from '../../../../adapters/page/format/numbers.ts'
import { duration, exactTime, relativeTime } from '../../../../adapters/page/format/time.ts'

const plain = (text: string): string => text.replaceAll('\u202f', ' ')

describe('amounts', () => {
  it.each([
    [0n, '0 ETH'],
    [1n, '1 wei'],
    [999_999n, '999 999 wei'],
    [1_500_000_000n, '1.5 Gwei'],
    [10n ** 18n, '1 ETH'],
    [1_234_567_890_000_000_000_000n, '1 234.56789 ETH'],
    [-(10n ** 18n), '-1 ETH'],
  ])('shows %s wei as %s', (wei, text) => {
    const { text: number, unit } = amount(wei)
    expect(`${plain(number)} ${unit}`).toBe(text)
  })

  it('marks decimals that are left out, and never rounds up', () => {
    expect(amount(10n ** 19n - 1n)).toEqual({ text: '9.999999…', unit: 'ETH' })
    expect(cutDecimals('0.0000001', 6)).toBe('0…')
    expect(cutDecimals('1.5000000', 6)).toBe('1.5')
  })

  it('places the point of tokens of any number of decimals', () => {
    expect(fixedPoint(5n, 0)).toBe('5')
    expect(fixedPoint(5n, 3)).toBe('0.005')
    expect(fixedPoint(-1500n, 3)).toBe('-1.5')
  })
})

describe('numbers', () => {
  it('groups digits and shows shares', () => {
    expect(plain(grouped(1234567))).toBe('1 234 567')
    expect(plain(percent(1, 3))).toBe('33.3 %')
    expect(plain(percent(1, 100_000))).toBe('< 0.1 %')
    expect(plain(percent(1, 0))).toBe('0 %')
    expect(plain(byteSize(1500))).toBe('1.5 kB')
  })

  it('reads numbers as people write them', () => {
    expect(parseInteger('1_000')).toBe(1000n)
    expect(parseInteger('0xff')).toBe(255n)
    expect(parseInteger('-0x10')).toBe(-16n)
    expect(parseInteger('1.5')).toBeUndefined()
    expect(parseInteger('')).toBeUndefined()
  })
})

describe('hex of a node that is not trusted', () => {
  it('reads nonsense as zero', () => {
    expect(quantity('0x10')).toBe(16n)
    for (const value of [undefined, null, 5, '', '0x', 'abc', `0x${'f'.repeat(65)}`]) expect(quantity(value)).toBe(0n)
    expect(count('0xff')).toBe(255)
    expect(count(`0x${'f'.repeat(64)}`)).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('shortens in the middle, and writes addresses with their checksum', () => {
    expect(shortened(`0x${'12'.repeat(32)}`)).toBe('0x121212…121212')
    expect(shortened('0x1234')).toBe('0x1234')
    expect(checksummed('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
    expect(checksummed('0x12')).toBe('0x12')
  })
})

describe('times', () => {
  it('are relative to the present, also in the future', () => {
    expect(relativeTime(100, 101)).toBe('just now')
    expect(relativeTime(100, 160)).toBe('1 min ago')
    expect(relativeTime(100_000, 0)).toBe('in 1 day')
    expect(duration(3 * 3600)).toBe('3 hours')
  })

  it('are exact in UTC, and survive a time that no calendar has', () => {
    expect(exactTime(0)).toBe('1970-01-01 00:00:00 UTC')
    expect(exactTime(2 ** 60)).toBe(`second ${2 ** 60}`)
  })
})
