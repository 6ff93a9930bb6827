/**
 * Options of a node that a program starts: its own properties and `flags`, as rows of the option table.
 * @module
 */
import { isNodeError, NodeError } from '../base/primitives/errors.ts'
import {
  defaultOf,
  type NodeOptions,
  OPTIONS,
  type OptionName,
  type OptionSpec,
  type OptionTable,
  type OptionType,
} from '../config/options.ts'
import { PAGE_PROPERTIES } from './pageProperties.ts'
import { checkRules, runsDevChain } from './rules.ts'
import { closest } from './suggest.ts'
import { convertValue, invalidOption, type RawValue } from './values.ts'
import { warningsOf } from './warnings.ts'

/** Rows that only a program needs, and rows that `listen` and an absent `dataPath` replace in the library. */
const COMMAND_LINE_ONLY: readonly string[] = [
  'help',
  'version',
  'config-file',
  'ephemeral',
  'key-value-storage',
  'config-out',
  'pid-path',
  'silent',
  'quiet',
  'rpc-http-enabled',
  'rpc-ws-enabled',
  'log-links',
] satisfies readonly OptionName[]

const SERVER_PROPERTIES = {
  ...PAGE_PROPERTIES,
  network: ['network'],
  genesisFile: ['genesis-file'],
  dataPath: ['data-path'],
  loadState: ['load-state'],
  state: ['state'],
  host: ['rpc-http-host'],
  port: ['rpc-http-port'],
  api: ['rpc-http-api', 'rpc-ws-api'],
  corsOrigins: ['rpc-http-cors-origins', 'graphql-http-cors-origins'],
  graphql: ['graphql-http-enabled'],
  p2p: ['p2p-enabled'],
  p2pPort: ['p2p-port'],
  bootnodes: ['bootnodes'],
  forkUrl: ['fork-url'],
  forkBlockNumber: ['fork-block-number'],
  abi: ['abi'],
  mirrorFrom: ['mirror-from'],
  mirrorPublisher: ['mirror-publisher'],
} as const satisfies Readonly<Record<string, readonly OptionName[]>>

type Properties = Readonly<Record<string, readonly OptionName[]>>

/**
 * Defaults that differ from those of the command line: free ports, so that nodes in one process do not compete, and no
 * page for people.
 */
export const LIBRARY_DEFAULTS: Readonly<Record<string, number | boolean>> = {
  'rpc-http-port': 0,
  'graphql-http-port': 0,
  ui: false,
}

/** Value of `--genesis-file` while the program has given the content of the file. */
const GIVEN_CONTENT = '(genesis)'

/** A property that the host reads itself. */
export interface OwnProperty {
  /** Name of an accepted value, with its article. */
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
}

export type OwnProperties = Readonly<Record<string, OwnProperty>>

/** A way to start the node, with the properties that it reads itself. */
export interface LibraryHost {
  readonly kind: 'server' | 'page'
  readonly ownProperties: OwnProperties
  /** Whether the node serves HTTP and WebSockets. */
  readonly isListening: boolean
}

export interface LibraryLine {
  readonly options: NodeOptions
  /** Names of the rows that were given. */
  readonly given: ReadonlySet<string>
  /** Content of the genesis file, when the program gave it. */
  readonly genesisText: string | undefined
  readonly isDev: boolean
  readonly warnings: readonly string[]
  /** The error of a start with these options, with the names of options as the program wrote them. */
  readonly renamed: (error: unknown) => unknown
}

/**
 * @param given the options as the program wrote them
 * @throws {NodeError} INVALID_OPTION that names the option as the program wrote it
 */
export function libraryLine(given: object, host: LibraryHost): LibraryLine {
  const { isListening } = host
  if (typeof given !== 'object' || given === null) {
    throw invalidOption(`Options: expected an object, got ${describe(given)}`)
  }
  const { raw, names, genesisText } = readGiven(given as Readonly<Record<string, unknown>>, host)
  const isDev = runsDevChain(raw)
  raw.set('rpc-http-enabled', isListening)
  raw.set('rpc-ws-enabled', isListening)
  for (const [name, value] of Object.entries(LIBRARY_DEFAULTS)) if (!raw.has(name)) raw.set(name, value)
  // A node without servers opens no port, unless the program asks for peers.
  if (!isListening && !isDev && !raw.has('p2p-enabled')) raw.set('p2p-enabled', false)
  if (!raw.has('data-path')) raw.set('ephemeral', true)
  const renamed = (error: unknown): unknown => inNamesOf(error, names)
  try {
    const options = valuesOf(raw, isDev)
    const rowNames = new Set(raw.keys())
    checkRules(options, rowNames, isDev)
    if (!isListening && options['rpc-ipc-enabled']) {
      throw invalidOption('--rpc-ipc-enabled cannot be combined with listen: false')
    }
    const chosen = new Set([...rowNames].filter((name) => names.has(name)))
    const warnings = isListening ? warningsOf(options, chosen, isDev) : []
    const texts = warnings.map((text) => inLibraryNames(text, names))
    return { options, given: rowNames, genesisText, isDev, warnings: texts, renamed }
  } catch (error) {
    throw renamed(error)
  }
}

export interface Flag {
  readonly row: OptionName
  readonly spec: OptionSpec
}

/** Rows that a program sets in `flags`, by their names there: those that are not the first of a property. */
export function libraryFlags(): ReadonlyMap<string, Flag> {
  const own = new Set<string>(Object.values(SERVER_PROPERTIES).map(([first]) => first))
  return new Map(
    Object.entries(OPTIONS as OptionTable)
      .filter(([, { later, standsFor }]) => later === undefined && standsFor === undefined)
      .filter(([name]) => !COMMAND_LINE_ONLY.includes(name) && !own.has(name))
      .map(([name, spec]) => [camelCase(name), { row: name as OptionName, spec }]),
  )
}

interface Given {
  /** By name of the row. */
  readonly raw: Map<string, RawValue>
  /** Names as given, by name of the row. */
  readonly names: ReadonlyMap<string, string>
  readonly genesisText: string | undefined
}

function readGiven(given: Readonly<Record<string, unknown>>, { kind, ownProperties }: LibraryHost): Given {
  const raw = new Map<string, RawValue>()
  const names = new Map<string, string>()
  const set = (row: OptionName, key: string, value: RawValue): void => {
    const other = names.get(row)
    if (other !== undefined) throw invalidOption(`'${other}' and '${key}' are the same option: pass only one`)
    names.set(row, key)
    raw.set(row, value)
  }
  const properties: Properties = kind === 'page' ? PAGE_PROPERTIES : SERVER_PROPERTIES
  const { genesis, flags, ...others } = given
  if (kind === 'server') readFlags(flags, set)
  else if (flags !== undefined) throw invalidOption("Unknown option: 'flags'")
  for (const [key, value] of Object.entries(others)) {
    if (Object.hasOwn(ownProperties, key)) checkOwn(key, value, ownProperties[key] as OwnProperty)
    else {
      const rows = Object.hasOwn(properties, key) ? properties[key] : undefined
      if (rows === undefined)
        throw unknownProperty(key, [...Object.keys(properties), ...Object.keys(ownProperties)], kind)
      if (value === undefined) continue
      for (const [i, row] of rows.entries()) if (i === 0 || !names.has(row)) set(row, key, rawValue(key, row, value))
    }
  }
  if (genesis === undefined) return { raw, names, genesisText: undefined }
  set('genesis-file', 'genesis', GIVEN_CONTENT)
  return { raw, names, genesisText: genesisTextOf(genesis) }
}

function checkOwn(key: string, value: unknown, { expected, accepts }: OwnProperty): void {
  if (value !== undefined && !accepts(value)) {
    throw invalidOption(`Invalid value for option '${key}': ${describe(value)} is not ${expected}`)
  }
}

function readFlags(flags: unknown, set: (row: OptionName, key: string, value: RawValue) => void): void {
  if (flags === undefined) return
  if (typeof flags !== 'object' || flags === null) {
    throw invalidOption(`Option 'flags': expected an object, got ${describe(flags)}`)
  }
  const known = libraryFlags()
  for (const [key, value] of Object.entries(flags)) {
    const flag = known.get(key)
    if (flag === undefined) throw unknownFlag(key, known.keys())
    if (value !== undefined) set(flag.row, key, rawValue(key, flag.row, value))
  }
}

function genesisTextOf(genesis: unknown): string {
  if (typeof genesis === 'string') return genesis
  if (typeof genesis === 'object' && genesis !== null) return JSON.stringify(genesis)
  throw invalidOption(`Option 'genesis': expected a text or an object, got ${describe(genesis)}`)
}

function unknownProperty(key: string, names: readonly string[], kind: LibraryHost['kind']): Error {
  if (kind === 'server' && libraryFlags().has(key)) {
    return invalidOption(`Unknown option: '${key}'. It is one of the flags: { flags: { ${key}: … } }`)
  }
  const row = rowOf(key)
  const property = row === undefined ? undefined : propertyOf(row)
  if (property !== undefined && names.includes(property)) {
    return invalidOption(`Unknown option: '${key}'. Did you mean '${property}'?`)
  }
  if (row !== undefined && kind === 'server') return unusable(key, row)
  const meant = closest(key, names) ?? (kind === 'server' ? flagHint(key, libraryFlags().keys()) : undefined)
  return invalidOption(`Unknown option: '${key}'${meant === undefined ? '' : `. Did you mean '${meant}'?`}`)
}

function unknownFlag(key: string, names: Iterable<string>): Error {
  const row = rowOf(key)
  const property = Object.hasOwn(SERVER_PROPERTIES, key) ? key : row && propertyOf(row)
  if (property !== undefined) {
    return invalidOption(`Unknown option: 'flags.${key}'. Write '${property}' beside 'flags'`)
  }
  if (row !== undefined && key === camelCase(row)) return unusable(key, row)
  const meant = row === undefined ? flagHint(key, names) : `flags.${camelCase(row)}`
  return invalidOption(`Unknown option: 'flags.${key}'${meant === undefined ? '' : `. Did you mean '${meant}'?`}`)
}

function flagHint(key: string, names: Iterable<string>): string | undefined {
  const meant = closest(key, names)
  return meant === undefined ? undefined : `flags.${meant}`
}

/** @param row one that no library option sets */
function unusable(key: string, row: string): Error {
  if ((OPTIONS as OptionTable)[row]?.later !== undefined) return invalidOption(`Option '${key}' is not supported`)
  const instead = /^rpc-(?:http|ws)-enabled$/.test(row) ? ": use 'listen'" : ''
  return invalidOption(`Option '${key}' is for the command line only${instead}`)
}

/** The row with a name or alias, in camel case or with dashes. */
function rowOf(key: string): OptionName | undefined {
  const isNamed = ([name, { aliases = [] }]: readonly [string, OptionSpec]): boolean =>
    [name, ...aliases].some((each) => each.length > 1 && (each === key || camelCase(each) === key))
  return Object.entries(OPTIONS as OptionTable).find(isNamed)?.[0] as OptionName | undefined
}

function propertyOf(row: string): string | undefined {
  const isSet = ([, [first]]: readonly [string, readonly string[]]): boolean => first === row
  return Object.entries<readonly string[]>(SERVER_PROPERTIES).find((each) => isSet(each) && each[0] !== 'genesis')?.[0]
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

function rawValue(key: string, row: OptionName, value: unknown): RawValue {
  const { type, form } = (OPTIONS as OptionTable)[row] as OptionSpec
  const isText = typeof value === 'string'
  const isFit = (): boolean => {
    if (form === 'block' && (typeof value === 'number' || typeof value === 'bigint')) return true
    if (type === 'text' || type === 'choice') return isText
    if (type === 'list') return isText || (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return isText || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint'
  }
  if (!isFit()) {
    throw invalidOption(`Invalid value for option '${key}': ${describe(value)} is not ${EXPECTED[type]}`)
  }
  return key === 'mining' && typeof value === 'boolean' ? !value : (value as RawValue)
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

function inNamesOf(error: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!isNodeError(error)) return error
  const message = inLibraryNames(error.message, names)
  return message === error.message ? error : new NodeError(error.details, message, { cause: error.cause })
}

/** Replaces names of the command line, such as `--rpc-http-port`, by the name as given. */
function inLibraryNames(message: string, names: ReadonlyMap<string, string>): string {
  return message.replace(
    /(?<![\w-])--([A-Za-z][\w-]*\w)/g,
    (text, name: string) => names.get(name) ?? propertyOf(name) ?? (rowOf(name) === undefined ? text : camelCase(name)),
  )
}
