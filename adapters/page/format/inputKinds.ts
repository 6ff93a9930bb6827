/**
 * Kinds of input in forms, and the JSON of JSON-RPC for them.
 * @module
 */
import { isAddress, isData, toQuantity } from './hex.ts'
import { parseInteger } from './numbers.ts'

export interface InputKind {
  /** A sentence that says which texts are valid. */
  readonly expected: string
  /** @returns the parameter of the request; undefined for a text that is not valid */
  readonly read: (text: string) => string | number | boolean | undefined
}

export const ADDRESS: InputKind = {
  expected: 'An address has 40 hex digits after 0x.',
  read: (text) => (isAddress(text.trim()) ? text.trim() : undefined),
}

export const NATURAL: InputKind = {
  expected: 'A whole number, at least 0.',
  read: (text) => {
    const value = parseInteger(text)
    return value === undefined || value < 0n ? undefined : toQuantity(value)
  },
}

export const BYTES: InputKind = {
  expected: 'Whole bytes in hex after 0x.',
  read: (text) => (isData(text.trim()) ? text.trim() : undefined),
}

const MAX_WORD = 2n ** 256n - 1n

export const WORD: InputKind = {
  expected: 'A number or hex of at most 32 bytes.',
  read: (text) => {
    const value = parseInteger(text)
    if (value === undefined || value < 0n || value > MAX_WORD) return undefined
    return `0x${value.toString(16).padStart(64, '0')}`
  },
}

export const AMOUNT: InputKind = {
  expected: 'An amount such as 1.5, 3 gwei or 100 wei. Without a unit it is ETH.',
  read: (text) => {
    const wei = parseAmount(text)
    return wei === undefined ? undefined : toQuantity(wei)
  },
}

export const URL_TEXT: InputKind = {
  expected: 'An address of a node: http, https, ws or wss.',
  read: (text) => (/^(?:https?|wss?):\/\/[^\s/]+/i.test(text.trim()) ? text.trim() : undefined),
}

export const TIME: InputKind = {
  expected: 'Seconds of Unix time, or a date such as 2027-01-31 12:00 (UTC).',
  read: (text) => {
    const seconds = parseTime(text)
    return seconds === undefined ? undefined : toQuantity(seconds)
  },
}

const DECIMALS = { wei: 0, gwei: 9, eth: 18, ether: 18 } as const

/** @returns wei; undefined for text that is no amount, or has more decimals than its unit */
export function parseAmount(text: string): bigint | undefined {
  const parts = /^([\d\s_,\u202f]*)(?:\.(\d+))?\s*(wei|gwei|eth|ether)?$/i.exec(text.trim())
  if (parts === null) return undefined
  const [, whole = '', fraction = '', unit = 'eth'] = parts
  const digits = whole.replace(/\D/g, '')
  const decimals = DECIMALS[unit.toLowerCase() as keyof typeof DECIMALS]
  if (digits + fraction === '' || fraction.length > decimals) return undefined
  return BigInt(digits + fraction.padEnd(decimals, '0'))
}

/** @returns Unix time; undefined for text that is no time */
export function parseTime(text: string): number | undefined {
  const number = parseInteger(text)
  if (number !== undefined) return number >= 0n && number < 2n ** 53n ? Number(number) : undefined
  const date = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?(?:Z| ?UTC)?$/.exec(text.trim())
  if (date === null) return undefined
  const ms = Date.parse(`${date[1]}T${date[2] ?? '00:00'}Z`)
  return Number.isNaN(ms) || ms < 0 ? undefined : ms / 1000
}
