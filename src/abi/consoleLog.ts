/**
 * `console.log` of hardhat/console.sol and forge-std: calls to an address without code, whose input encodes the
 * arguments as those of a function `log`.
 *
 * The signatures are derived: up to four arguments of the basic types, in all combinations, once with the canonical name
 * `uint256` and once with `uint`, which old versions used; and one argument of any type.
 * @module
 */

import { MAX_WATCHED_INPUT_BYTES } from '../base/limits/limits.ts'
import { bytesToHex, bytesToHexUnprefixed } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { checksumAddress } from '../types/address.ts'
import { type AbiType, elementaryType } from './abiType.ts'
import { type AbiValue, abiText, decodeAbi, shortHex } from './abiValue.ts'

const BASIC = ['string', 'bool', 'address'] as const
const MAX_ARGUMENTS = 4
const SELECTOR_BYTES = 4
/** Digits of `%<n>e`. */
const MAX_EXPONENT = 80

const utf8 = new TextEncoder()
/** Argument types by selector in hex. */
type Signatures = ReadonlyMap<string, readonly AbiType[]>

function signatures(): Signatures {
  const signatures = new Map<string, readonly AbiType[]>()
  const add = (names: readonly string[]): void => {
    const types = names.map((name) => elementaryType(name) as AbiType)
    signatures.set(
      bytesToHexUnprefixed(keccak256(utf8.encode(`log(${names.join()})`)).subarray(0, SELECTOR_BYTES)),
      types,
    )
  }
  const addAll = (unsigned: string, before: readonly string[]): void => {
    add(before)
    if (before.length < MAX_ARGUMENTS) for (const name of [unsigned, ...BASIC]) addAll(unsigned, [...before, name])
  }
  addAll('uint256', [])
  addAll('uint', [])
  for (const name of ['int', 'int256']) {
    add([name])
    add(['string', name])
  }
  add(['bytes'])
  for (let length = 1; length <= 32; length++) add([`bytes${length}`])
  return signatures
}

/** Decodes `console.log` calls. The table of signatures is built on first use. */
export class ConsoleReader {
  #signatures: Signatures | undefined

  /** @param input call data, cut off after MAX_WATCHED_INPUT_BYTES */
  text(input: Uint8Array): string {
    this.#signatures ??= signatures()
    const types = this.#signatures.get(bytesToHexUnprefixed(input.subarray(0, SELECTOR_BYTES)))
    const isCut = input.length >= MAX_WATCHED_INPUT_BYTES
    const values = types && decodeAbi(types, input.subarray(SELECTOR_BYTES), { isCut })
    return values === undefined ? `unknown console.log call ${shortHex(input)}` : format(values)
  }
}

/** Fills in the directives of the first argument; further arguments follow, separated by spaces. */
function format(values: readonly AbiValue[]): string {
  const [first, ...rest] = values
  if (first?.kind !== 'string') return values.map(display).join(' ')
  let used = 0
  const text = first.value.replace(/%(?:%|[sdioOjx]|(\d{0,3})e)/g, (directive, digits?: string) => {
    if (directive === '%%') return '%'
    const value = rest[used]
    if (value === undefined) return directive
    used++
    return directed(directive, digits, value)
  })
  return [text, ...rest.slice(used).map(display)].join(' ')
}

function display(value: AbiValue): string {
  return value.kind === 'string' ? value.value : abiText(value)
}

function directed(directive: string, digits: string | undefined, value: AbiValue): string {
  switch (directive.at(-1)) {
    case 'd':
    case 'i':
      return value.kind === 'bool' ? String(Number(value.value)) : display(value)
    case 'x':
      return hexOf(value)
    case 'e':
      return value.kind === 'number' ? scientific(value.value, digits ?? '') : display(value)
    default:
      return display(value)
  }
}

function hexOf(value: AbiValue): string {
  switch (value.kind) {
    case 'number':
      return `${value.value < 0n ? '-' : ''}0x${(value.value < 0n ? -value.value : value.value).toString(16)}`
    case 'address':
      return checksumAddress(value.value)
    case 'string':
      return bytesToHex(utf8.encode(value.value))
    default:
      return display(value)
  }
}

/** With digits, the number divided by that power of ten; without, its scientific notation. */
function scientific(value: bigint, digits: string): string {
  const text = String(value < 0n ? -value : value)
  const sign = value < 0n ? '-' : ''
  const exponent = digits === '' ? text.length - 1 : Math.min(Number(digits), MAX_EXPONENT)
  const padded = text.padStart(exponent + 1, '0')
  const fraction = padded.slice(padded.length - exponent).replace(/0+$/, '')
  const whole = padded.slice(0, padded.length - exponent)
  const mantissa = exponent === 0 || fraction === '' ? whole : `${whole}.${fraction}`
  return digits === '' && exponent > 0 ? `${sign}${mantissa}e${exponent}` : `${sign}${mantissa}`
}
