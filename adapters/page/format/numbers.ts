/**
 * Numbers, amounts and shares for people. The texts do not depend on the locale, because they are copied into code and
 * compared with other tools.
 * @module
 */
const NARROW_SPACE = '\u202f'

/** Groups the digits: `12 345 678`. */
export function grouped(value: bigint | number): string {
  return value.toString().replace(/\B(?=(?:\d{3})+(?!\d))/g, NARROW_SPACE)
}

/** A number in units of 10 to the power of `decimals`, without zeros at its end. */
export function fixedPoint(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return sign + (fraction === '' ? whole : `${whole}.${fraction}`)
}

/** At most `digits` decimals, cut and not rounded, so that a balance never looks larger than it is. */
export function cutDecimals(text: string, digits: number): string {
  const [whole = '', fraction = ''] = text.split('.')
  const kept = fraction.slice(0, digits).replace(/0+$/, '')
  const isCut = /[1-9]/.test(fraction.slice(digits))
  const shown = kept === '' ? groupedText(whole) : `${groupedText(whole)}.${kept}`
  return isCut ? `${shown}…` : shown
}

function groupedText(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+(?!\d))/g, NARROW_SPACE)
}

export interface Amount {
  /** `1.5`; ends with `…` when decimals are left out. */
  readonly text: string
  readonly unit: 'ETH' | 'Gwei' | 'wei'
}

const GWEI = 10n ** 9n
const ETHER = 10n ** 18n
const MAX_DECIMALS = 6

/** An amount of wei in the unit that fits. */
export function amount(wei: bigint): Amount {
  const size = wei < 0n ? -wei : wei
  if (size !== 0n && size < GWEI / 1000n) return { text: grouped(wei), unit: 'wei' }
  if (size !== 0n && size < ETHER / 10_000n)
    return { text: cutDecimals(fixedPoint(wei, 9), MAX_DECIMALS), unit: 'Gwei' }
  return { text: cutDecimals(fixedPoint(wei, 18), MAX_DECIMALS), unit: 'ETH' }
}

/** `12.5 %`. A total of zero has no share. */
export function percent(part: bigint | number, total: bigint | number): string {
  const share = ratio(part, total) * 100
  const text = share > 0 && share < 0.1 ? '< 0.1' : share.toFixed(1).replace(/\.0$/, '')
  return `${text}${NARROW_SPACE}%`
}

/** Between 0 and 1. */
export function ratio(part: bigint | number, total: bigint | number): number {
  const whole = Number(total)
  return whole > 0 ? Math.min(1, Math.max(0, Number(part) / whole)) : 0
}

/** `1.2 kB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes}${NARROW_SPACE}B`
  const units = ['kB', 'MB', 'GB']
  let size = bytes / 1000
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${size.toFixed(size < 10 ? 1 : 0)}${NARROW_SPACE}${units[unit]}`
}

/** @returns undefined unless the text is a decimal or hexadecimal number */
export function parseInteger(text: string): bigint | undefined {
  const plain = text.trim().replace(/[\s_,\u202f']/g, '')
  return /^-?(?:\d+|0x[0-9a-f]+)$/i.test(plain)
    ? plain.startsWith('-')
      ? -BigInt(plain.slice(1))
      : BigInt(plain)
    : undefined
}
