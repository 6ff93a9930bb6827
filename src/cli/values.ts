/**
 * Converts texts of the command line, the environment and TOML files to option values.
 * @module
 */

import { NodeError } from '../base/primitives/errors.ts'
import { parseEther } from '../base/primitives/ether.ts'
import type { OptionSpec } from '../config/options.ts'
import { wordHint } from './suggest.ts'

const MAX_UINT256 = 2n ** 256n - 1n

export type OptionValue = boolean | number | bigint | string | readonly string[]

/** Raw value of an option: words of a command line, or a TOML value. */
export type RawValue = string | boolean | number | bigint | readonly RawValue[]

export type CommandLineError = NodeError<{ code: 'INVALID_OPTION' }>

export function invalidOption(message: string): CommandLineError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}

/**
 * @param name as written, without dashes, for the error message
 * @throws {NodeError} INVALID_OPTION
 */
export function convertValue(name: string, spec: OptionSpec, raw: RawValue): OptionValue {
  if (spec.type === 'list') return chosenItems(name, spec, listOf(raw, spec.isWhole === true))
  if (Array.isArray(raw)) throw invalidOption(`option '--${name}' should be specified only once`)
  const text = String(raw).trim() || (spec.bareValue ?? '')
  if (text === '' && spec.type !== 'boolean') throw invalidOption(`Missing required parameter for option '--${name}'`)
  switch (spec.type) {
    case 'boolean':
      return booleanOf(name, text)
    case 'integer':
      return inRange(name, spec, integerOf(name, text))
    case 'number':
      return inRange(name, spec, numberOf(name, text))
    case 'quantity':
      return inRange(name, spec, quantityOf(name, text))
    case 'ether':
      return etherOf(name, text)
    case 'choice':
      return choiceOf(name, spec, text)
    default:
      return text
  }
}

function listOf(raw: RawValue, isWhole: boolean): readonly string[] {
  if (Array.isArray(raw)) return raw.flatMap((item) => listOf(item, isWhole))
  const parts = isWhole ? [String(raw)] : String(raw).split(',')
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function chosenItems(name: string, spec: OptionSpec, items: readonly string[]): readonly string[] {
  return spec.choices === undefined ? items : [...new Set(items.map((item) => chosenItem(name, spec, item)))]
}

/** An item is a choice, or a choice with `=` and a text. */
function chosenItem(name: string, spec: OptionSpec, item: string): string {
  const [, written = item, text] = /^([^=]*)=(.*)$/.exec(item) ?? []
  const choice = choiceOf(name, spec, written)
  if (text === undefined) return choice
  if (spec.sourced?.includes(choice) === true && text !== '') return `${choice}=${text}`
  throw invalidValue(name, item, `one of [${spec.choices?.join(', ')}]`)
}

function invalidValue(name: string, text: string, expected: string): CommandLineError {
  return invalidOption(`Invalid value for option '--${name}': '${text}' is not ${expected}`)
}

function booleanOf(name: string, text: string): boolean {
  const lower = text.toLowerCase()
  if (lower === 'true') return true
  if (lower === 'false') return false
  throw invalidValue(name, text, "'true' or 'false'")
}

function integerOf(name: string, text: string): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw invalidValue(name, text, 'an integer')
  return value
}

function numberOf(name: string, text: string): number {
  const value = text === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(value)) throw invalidValue(name, text, 'a number')
  return value
}

function quantityOf(name: string, text: string): bigint {
  if (!/^(?:\d+|0x[0-9a-fA-F]+)$/.test(text)) throw invalidValue(name, text, 'an unsigned integer')
  return BigInt(text)
}

/** @returns wei */
function etherOf(name: string, text: string): bigint {
  const wei = parseEther(text)
  if (wei === undefined) throw invalidValue(name, text, 'an amount of ether with at most 18 decimals')
  if (wei <= MAX_UINT256) return wei
  throw invalidOption(`Invalid value for option '--${name}': ${text} ether are 2^256 wei or more`)
}

function choiceOf(name: string, spec: OptionSpec, text: string): string {
  const matchingChoice = spec.choices?.find((choice) => plain(choice) === plain(text))
  if (matchingChoice === undefined) {
    throw invalidOption(
      `Invalid value for option '--${name}': expected one of [${spec.choices?.join(', ')}] (case-insensitive) but was '${text}'${wordHint(text, spec.choices ?? [])}`,
    )
  }
  return matchingChoice
}

/** Choices may be written in any case, with or without `_` and `-`. */
function plain(choice: string): string {
  return choice.toLowerCase().replace(/[_-]/g, '')
}

function inRange<T extends number | bigint>(name: string, { min, max }: OptionSpec, value: T): T {
  if (min !== undefined && value < min)
    throw invalidOption(`Invalid value for option '--${name}': ${value} is below ${min}`)
  if (max !== undefined && value > max)
    throw invalidOption(`Invalid value for option '--${name}': ${value} is above ${max}`)
  return value
}
