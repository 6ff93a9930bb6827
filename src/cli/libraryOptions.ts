/**
 * Options of a node that a program starts as a library: the rows of the option table under camel-case names.
 * @module
 */

import { isNodeError } from '../base/primitives/errors.ts'
import {
  defaultOf,
  type NodeOptions,
  OPTIONS,
  type OptionSpec,
  type OptionTable,
  type OptionType,
} from '../config/options.ts'
import { checkRules, runsDevChain } from './rules.ts'
import { closest } from './suggest.ts'
import { convertValue, invalidOption, type RawValue } from './values.ts'
import { warningsOf } from './warnings.ts'

/** Rows that only a program needs, and rows that `listen` and an absent `dataPath` replace in the library. */
const EXCLUDED = [
  'help',
  'version',
  'config-file',
  'ephemeral',
  'key-value-storage',
  'pid-path',
  'silent',
  'quiet',
  'rpc-http-enabled',
  'rpc-ws-enabled',
] as const

type Table = typeof OPTIONS
type RowName = {
  [K in keyof Table]: Table[K] extends { readonly later: string } ? never : K
}[keyof Table]
type LibraryRow = Exclude<RowName, (typeof EXCLUDED)[number]>

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : S

/** Aliases of more than one letter. */
type AliasOf<Row> = Row extends { readonly aliases: readonly (infer A)[] }
  ? A extends `${infer _First}${infer Rest}`
    ? Rest extends ''
      ? never
      : A
    : never
  : never

interface GivenTypes {
  readonly boolean: boolean
  readonly integer: number
  readonly number: number
  /** A text is decimal or 0x-prefixed. */
  readonly quantity: bigint | number | string
  /** In ether; a text may have a fraction. */
  readonly ether: bigint | number | string
  readonly text: string
  readonly list: readonly string[] | string
}

type GivenValue<Row> = Row extends { readonly type: 'choice'; readonly choices: readonly (infer C extends string)[] }
  ? C | Lowercase<C>
  : Row extends { readonly type: infer T extends keyof GivenTypes }
    ? GivenTypes[T]
    : never

/**
 * Options of the command line in camel case: `--rpc-http-port` is `rpcHttpPort` or, by its alias, `port`. Defaults, units
 * and limits are those of the command line. Options without effect in this version are refused.
 */
export type LibraryOptions = {
  readonly [K in LibraryRow as CamelCase<K>]?: GivenValue<Table[K]> | undefined
} & {
  readonly [K in LibraryRow as CamelCase<AliasOf<Table[K]>>]?: GivenValue<Table[K]> | undefined
}

export interface LibraryLine {
  readonly options: NodeOptions
  /** Names of the rows that were given. */
  readonly given: ReadonlySet<string>
  readonly warnings: readonly string[]
}

interface Row {
  readonly name: string
  readonly spec: OptionSpec
}

/**
 * @param isListening whether the node serves HTTP and WebSockets
 * @throws {NodeError} INVALID_OPTION that names the option as it was given
 */
export function libraryLine(given: LibraryOptions, isListening: boolean): LibraryLine {
  const rows = rowsByName()
  const { raw, names } = readGiven(given, rows)
  const isDev = runsDevChain(raw)
  raw.set('rpc-http-enabled', isListening)
  raw.set('rpc-ws-enabled', isListening)
  // A node without servers opens no port, unless the program asks for peers.
  if (!isListening && !isDev && !raw.has('p2p-enabled')) raw.set('p2p-enabled', false)
  if (!raw.has('data-path')) raw.set('ephemeral', true)
  try {
    const options = valuesOf(raw, isDev)
    const rowNames = new Set(raw.keys())
    checkRules(options, rowNames, isDev)
    const warnings = isListening ? warningsOf(options, rowNames, isDev) : []
    return { options, given: rowNames, warnings: warnings.map((text) => inCamelCase(text, names)) }
  } catch (error) {
    throw isNodeError(error, 'INVALID_OPTION') ? invalidOption(inCamelCase(error.message, names)) : error
  }
}

/** Names under which a library gives options, sorted. */
export function libraryOptionNames(): readonly string[] {
  return [...rowsByName().keys()].sort()
}

function rowsByName(): ReadonlyMap<string, Row> {
  const excluded: readonly string[] = EXCLUDED
  const rows = new Map<string, Row>()
  for (const [name, spec] of Object.entries(OPTIONS as OptionTable)) {
    if (spec.later !== undefined || excluded.includes(name)) continue
    const aliases = (spec.aliases ?? []).filter(({ length }) => length > 1)
    for (const each of [name, ...aliases]) rows.set(camelCase(each), { name, spec })
  }
  return rows
}

interface Given {
  /** By name of the row. */
  readonly raw: Map<string, RawValue>
  /** Names as given, by name of the row. */
  readonly names: ReadonlyMap<string, string>
}

function readGiven(given: LibraryOptions, rows: ReadonlyMap<string, Row>): Given {
  const raw = new Map<string, RawValue>()
  const names = new Map<string, string>()
  for (const [key, value] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    const row = rows.get(key)
    if (row === undefined) throw unknownOption(key, rows.keys())
    if (value === undefined) continue
    const other = names.get(row.name)
    if (other !== undefined) throw invalidOption(`Options '${other}' and '${key}' are the same: give one of them`)
    names.set(row.name, key)
    raw.set(row.name, rawValue(key, row.spec, value))
  }
  return { raw, names }
}

function unknownOption(key: string, known: Iterable<string>): Error {
  const name = Object.keys(OPTIONS).find((each) => camelCase(each) === key || each === key)
  if (name === undefined || key !== camelCase(name)) {
    const meant = name === undefined ? closest(key, known) : camelCase(name)
    return invalidOption(`Unknown option: '${key}'${meant === undefined ? '' : `. Did you mean '${meant}'?`}`)
  }
  if ((OPTIONS as OptionTable)[name]?.later !== undefined) return invalidOption(`Option '${key}' is not supported`)
  const instead = /^rpc-(?:http|ws)-enabled$/.test(name) ? ": use 'listen'" : ''
  return invalidOption(`Option '${key}' is for the command line only${instead}`)
}

const EXPECTED: Readonly<Record<OptionType, string>> = {
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  quantity: 'an unsigned integer',
  ether: 'a number',
  text: 'a text',
  choice: 'a text',
  list: 'a list of texts',
}

function rawValue(key: string, { type }: OptionSpec, value: unknown): RawValue {
  const isText = typeof value === 'string'
  const isFit = (): boolean => {
    if (type === 'text' || type === 'choice') return isText
    if (type === 'list') return isText || (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return isText || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint'
  }
  if (isFit()) return value as RawValue
  const expected = EXPECTED[type]
  throw invalidOption(`Invalid value for option '${key}': ${describe(value)} is not ${expected}`)
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : typeof value === 'function' ? 'a function' : String(value)
}

function valuesOf(raw: ReadonlyMap<string, RawValue>, isDev: boolean): NodeOptions {
  const values = Object.entries(OPTIONS as OptionTable).map(([name, spec]) => {
    const value = raw.get(name)
    return [name, value === undefined ? defaultOf(spec, isDev) : convertValue(name, spec, value)]
  })
  return Object.fromEntries(values) as NodeOptions
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Replaces names of the command line, such as `--rpc-http-port`, by the name as given. */
function inCamelCase(message: string, names: ReadonlyMap<string, string>): string {
  return message.replace(/--([A-Za-z][\w-]*\w)/g, (_, name: string) => names.get(name) ?? camelCase(name))
}
