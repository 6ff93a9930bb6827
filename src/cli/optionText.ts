/**
 * Options as text: their names, the form of their values, their defaults.
 * @module
 */

import { formatEther } from '../base/primitives/ether.ts'
import type { OptionSpec, OptionTable, OptionType } from '../config/options.ts'

/**
 * Maximum length of the choices after the name, and of a default in the overview; longer ones go into the description.
 */
const MAX_INLINE_LENGTH = 26

/** Returns a name with its dashes. */
function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`
}

/** All names of an option with their dashes: single letters first, then the main one. */
export function namesOf(name: string, { aliases = [] }: OptionSpec): readonly string[] {
  const letters = aliases.filter((alias) => alias.length === 1)
  const others = aliases.filter((alias) => alias.length > 1)
  return [...letters, name, ...others].map(dashed)
}

const PLACEHOLDERS: Readonly<Record<OptionType, string>> = {
  boolean: '',
  integer: 'N',
  number: 'N',
  quantity: 'N',
  ether: 'ETHER',
  text: 'TEXT',
  list: 'A,B,...',
  choice: 'NAME',
}

/** The value after an option's name, such as `=SECONDS`; empty for a boolean. */
export function valueForm(spec: OptionSpec): string {
  const { type, unit, form } = spec
  if (type === 'boolean') return ''
  if (type === 'choice') return `=${hasInlineChoices(spec) ? choicesText(spec, '|') : 'NAME'}`
  const item = (unit ?? form)?.toUpperCase()
  if (spec.choices !== undefined) return '=NAME,...'
  return `=${type === 'list' && item !== undefined ? `${item},...` : (item ?? PLACEHOLDERS[type])}`
}

function hasInlineChoices(spec: OptionSpec): boolean {
  return choicesText(spec, '|').length <= MAX_INLINE_LENGTH
}

function choicesText({ choices = [] }: OptionSpec, separator: string): string {
  return choices.join(separator)
}

/** Description, choices and default of an option in one paragraph. */
export function description(spec: OptionSpec): string {
  const names = hasInlineChoices(spec) ? '' : choicesText(spec, ', ')
  const choices = names === '' ? '' : ` ${spec.type === 'list' ? 'Any' : 'One'} of ${names}.`
  const needed = spec.required === true ? ' Required.' : ''
  return `${spec.help}${choices}${needed}${defaultHint(spec)}`
}

/** First sentence and default of an option, for an overview. */
export function summary(spec: OptionSpec): string {
  const [sentence = ''] = spec.help.split(/(?<=\.) /)
  const hint = defaultHint(spec)
  return hint.length > MAX_INLINE_LENGTH ? sentence : `${sentence}${hint}`
}

function defaultHint(spec: OptionSpec): string {
  const usual = valueText(spec, spec.default ?? spec.newChainDefault)
  const dev = valueText(spec, spec.devDefault)
  const hints = [...(usual === '' ? [] : [usual]), ...(dev === '' ? [] : [`dev chain: ${dev}`])]
  return hints.length === 0 ? '' : ` (default: ${hints.join('; ')})`
}

function valueText(spec: OptionSpec, value: OptionSpec['default']): string {
  if (value === false) return ''
  return value === true ? 'on' : writtenValue(spec, value)
}

/** A value as it is written on the command line; empty for undefined. */
export function writtenValue({ type }: OptionSpec, value: OptionSpec['default']): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.join(',')
  return type === 'ether' ? formatEther(value as bigint) : String(value)
}

/** The option that has a name or an alias. */
export function findOption(table: OptionTable, name: string): { name: string; spec: OptionSpec } | undefined {
  const direct = Object.hasOwn(table, name) ? table[name] : undefined
  if (direct !== undefined) return { name, spec: direct }
  for (const [canonical, spec] of Object.entries(table))
    if (spec.aliases?.includes(name)) return { name: canonical, spec }
  return undefined
}

/** Names and aliases of all options, without dashes; hidden options and single letters are omitted. */
export function optionWords(table: OptionTable): string[] {
  return Object.entries(table)
    .filter(([, { hidden }]) => hidden !== true)
    .flatMap(([name, { aliases = [] }]) => [name, ...aliases])
    .filter((name) => name.length > 1)
}
