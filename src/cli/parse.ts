/**
 * Converts command line, environment and TOML file to options. Pure: the caller reads the files.
 * @module
 */
import parser from 'yargs-parser'
import { isNodeError } from '../base/primitives/errors.ts'
import {
  COMMAND_OPTIONS,
  type CommandName,
  type CommandValues,
  defaultOf,
  environmentNames,
  type NodeOptions,
  OPTIONS,
  type OptionSpec,
  type OptionTable,
} from '../config/options.ts'
import { COMMANDS, FIRST_WORDS, type InfoCommand } from './commandTable.ts'
import { completionScript } from './completion.ts'
import { helpHint, helpText } from './help.ts'
import { findOption, optionWords } from './optionText.ts'
import { checkRules, runsDevChain } from './rules.ts'
import { expandShorthands } from './shorthands.ts'
import { optionHint, wordHint } from './suggest.ts'
import { readToml } from './toml.ts'
import { convertValue, invalidOption, type OptionValue, type RawValue } from './values.ts'
import { warningsOf } from './warnings.ts'

/** The environment of a command line. */
export interface CommandLineSources {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Content of a file; undefined when it does not exist. */
  readText(path: string): string | undefined
  /** Width of the terminal; undefined in a pipe. */
  readonly columns?: number | undefined
}

interface Run {
  readonly options: NodeOptions
  /** Names of the options that any source sets. */
  readonly given: ReadonlySet<string>
  readonly warnings: readonly string[]
}

export type CommandCall = {
  readonly [C in CommandName]: Run & {
    readonly kind: 'command'
    readonly command: C
    readonly values: CommandValues<C>
    /** Arguments that are not options. */
    readonly operands: readonly string[]
  }
}[CommandName]

export type CommandLine =
  | (Run & { readonly kind: 'node' })
  | CommandCall
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'error'; readonly message: string }

export function parseCommandLine(sources: CommandLineSources): CommandLine {
  try {
    return parse(sources)
  } catch (error) {
    if (!isNodeError(error, 'INVALID_OPTION')) throw error
    return { kind: 'error', message: `${error.message}\n${helpHint(error.message)}` }
  }
}

function parse(sources: CommandLineSources): CommandLine {
  const info = infoCommand(sources)
  if (info !== undefined) return info
  const { command, rest } = takeCommand(sources.argv)
  const commandTable: OptionTable = command === undefined ? {} : COMMAND_OPTIONS[command]
  const table: OptionTable = command === undefined ? OPTIONS : { ...OPTIONS, ...commandTable }
  const { values: words, operands } = tokenize(rest, table)
  if (words.has('help')) return help(command === undefined ? [] : [command], sources)
  if (words.has('version')) return { kind: 'version' }
  const hasOwnFile = Object.hasOwn(commandTable, 'config-file')
  const raw = expandShorthands(command === 'validate-config' ? words : merge(words, sources, hasOwnFile))
  const passedNames = new Set(raw.keys())
  const isDev = runsDevChain(raw)
  const options = Object.fromEntries(
    Object.entries(table).map(([name, spec]) => [name, optionValue(name, spec, raw.get(name), isDev)]),
  ) as unknown as NodeOptions
  checkOperands(command, operands)
  checkRequired(commandTable, passedNames)
  if (command === 'validate-config' && !passedNames.has('config-file')) throw missingOption('config-file')
  checkRules(options, passedNames, isDev, table)
  const run: Run = { options, given: passedNames, warnings: warningsOf(options, passedNames, isDev, table) }
  if (command === undefined) return { kind: 'node', ...run }
  return { kind: 'command', command, ...run, values: options, operands } as unknown as CommandCall
}

function help(topic: readonly string[], { columns }: CommandLineSources): CommandLine {
  return { kind: 'print', text: helpText(topic, columns) }
}

/** Answers `--help=TOPIC`, `help`, `version` and `completion`, which need no other options. */
function infoCommand(sources: CommandLineSources): CommandLine | undefined {
  const { argv } = sources
  const topic = argv.find((word) => word.startsWith('--help='))?.slice('--help='.length)
  if (topic !== undefined && !/^(?:true|false)$/i.test(topic)) return help([topic], sources)
  const [name, ...words] = argv.filter((word, i) => !word.startsWith('-') && !isValueOf(argv[i - 1]))
  switch (name as InfoCommand | undefined) {
    case 'help':
      return help(words, sources)
    case 'version':
      return { kind: 'version' }
    case 'completion':
      return argv.some((word) => word === '--help' || word === '-h')
        ? help(['completion'], sources)
        : { kind: 'print', text: completionScript(words[0]).trimEnd() }
    default:
      return undefined
  }
}

/** Form of exactly one argument that is no option. */
const SINGLE_OPERAND = /^[A-Z]+$/

function checkOperands(command: CommandName | undefined, operands: readonly string[]): void {
  const form = command === undefined ? undefined : COMMANDS[command].operands
  const isSingle = form !== undefined && SINGLE_OPERAND.test(form)
  if (isSingle && operands.length === 0) throw invalidOption(`Missing required argument: ${form}`)
  const unmatched = form === undefined ? operands[0] : isSingle ? operands[1] : undefined
  if (unmatched === undefined) return
  const hint = command === undefined ? wordHint(unmatched, FIRST_WORDS) : ''
  throw invalidOption(`Unmatched argument: '${unmatched}'${hint}`)
}

function checkRequired(table: OptionTable, given: ReadonlySet<string>): void {
  for (const [name, spec] of Object.entries(table)) if (spec.required && !given.has(name)) throw missingOption(name)
}

function missingOption(name: string): Error {
  return invalidOption(`Missing required option: '--${name}'`)
}

function optionValue(
  name: string,
  spec: OptionSpec,
  raw: RawValue | undefined,
  isDev: boolean,
): OptionValue | undefined {
  return raw === undefined ? defaultOf(spec, isDev) : convertValue(name, spec, raw)
}

/** Command words may be anywhere between options; other words without a dash are operands. */
function takeCommand(argv: readonly string[]): { command: CommandName | undefined; rest: readonly string[] } {
  const names = Object.keys(COMMAND_OPTIONS) as CommandName[]
  const firstWords = new Set(names.map((name) => name.split(' ')[0]))
  const at = argv.findIndex((word, i) => !word.startsWith('-') && firstWords.has(word) && !isValueOf(argv[i - 1]))
  if (at < 0) return { command: undefined, rest: argv }
  const two = `${argv[at]} ${argv[at + 1] ?? ''}`
  const command = names.find((name) => name === two) ?? names.find((name) => name === argv[at])
  if (command === undefined) {
    const next = argv[at + 1]
    if (next === undefined || next.startsWith('-')) throw invalidOption(`Missing required subcommand of '${argv[at]}'`)
    const second = names.filter((name) => name.startsWith(`${argv[at]} `)).map((name) => name.split(' ')[1] as string)
    throw invalidOption(`Unmatched argument: '${next}'${wordHint(next, second)}`)
  }
  return { command, rest: [...argv.slice(0, at), ...argv.slice(at + command.split(' ').length)] }
}

/** Whether the word after this one is the value of an option (`--name value`). */
function isValueOf(previous: string | undefined): boolean {
  if (previous === undefined || !previous.startsWith('-') || previous.includes('=')) return false
  const option = findOption(OPTIONS, previous.replace(/^-+/, ''))
  return option !== undefined && option.spec.type !== 'boolean'
}

/** The tokenizer treats any value of a boolean option as false. */
function checkBooleans(argv: readonly string[], table: OptionTable): void {
  for (const word of argv) {
    const [, name = '', value] = /^--([^=]+)=(.*)$/.exec(word) ?? []
    const option = value === undefined ? undefined : findOption(table, name)
    if (option?.spec.type === 'boolean') convertValue(name, option.spec, value as string)
  }
}

/** Levels of verbosity as anvil has them; -v alone prints the version. */
const VERBOSITY = /^-v{2,5}$/

function tokenize(argv: readonly string[], table: OptionTable): { values: Map<string, RawValue>; operands: string[] } {
  checkBooleans(argv, table)
  const isVerbose = (word: string): boolean => VERBOSITY.test(word) && Object.hasOwn(table, 'verbose')
  const names = Object.entries(table)
  const ofType = (isBoolean: boolean) =>
    names.filter(([, spec]) => (spec.type === 'boolean') === isBoolean).map(([name]) => name)
  const { argv: parsed, error } = parser.detailed(
    argv.map((word) => (isVerbose(word) ? '--verbose' : word)),
    {
      boolean: ofType(true),
      string: ofType(false),
      // The parser compares each option of this list with each other one.
      alias: Object.fromEntries(
        names.map(([name, spec]) => [name, aliasesOf(spec, table)] as const).filter(([, list]) => list.length > 0),
      ),
      configuration: {
        'boolean-negation': false,
        'camel-case-expansion': false,
        'dot-notation': false,
        'parse-numbers': false,
        'parse-positional-numbers': false,
        'short-option-groups': false,
        'strip-aliased': true,
        'unknown-options-as-args': true,
      },
    },
  )
  if (error !== null) throw invalidOption(error.message)
  const { _: operands, ...found } = parsed as Record<string, RawValue> & { _: (string | number)[] }
  const words = operands.map(String)
  const strange = Object.keys(found).find((name) => !Object.hasOwn(table, name))
  // The tokenizer drops dashes: the error shows the word as it was typed.
  const typed = argv.find((word) => word.startsWith('-') && word.split('=')[0]?.replace(/^-+/, '') === strange)
  const unknown = strange === undefined ? words.find((word) => /^-./.test(word)) : (typed ?? `--${strange}`)
  if (unknown !== undefined) throw unknownOption(unknown.split('=')[0] as string, table)
  return { values: new Map(Object.entries(found)), operands: words }
}

/** A command's own option goes before an alias of a general one. */
function aliasesOf({ aliases = [] }: OptionSpec, table: OptionTable): string[] {
  return aliases.filter((alias) => !Object.hasOwn(table, alias))
}

function unknownOption(word: string, table: OptionTable): Error {
  return invalidOption(`Unknown option: '${word}'${optionHint(word, optionWords(table))}`)
}

/**
 * Merges the values of all sources by option name, highest precedence first.
 * @param hasOwnFile whether --config-file names an input of the command instead of a TOML file
 */
function merge(
  words: ReadonlyMap<string, RawValue>,
  { environment, readText }: CommandLineSources,
  hasOwnFile: boolean,
): Map<string, RawValue> {
  const variables = fromEnvironment(environment)
  if (hasOwnFile) {
    variables.delete('config-file')
    return new Map([...variables, ...words])
  }
  const fromWords = words.get('config-file')
  const fromVariables = variables.get('config-file')
  if (fromWords !== undefined && fromVariables !== undefined) {
    throw invalidOption('TOML file specified using both --config-file and the environment')
  }
  const path = fromWords ?? fromVariables
  const file = path === undefined ? new Map<string, RawValue>() : readConfigFile(String(path), readText)
  return new Map([...file, ...variables, ...words])
}

/**
 * Values of a TOML file by option name.
 * @throws {NodeError} INVALID_OPTION
 */
export function readConfigFile(path: string, readText: CommandLineSources['readText']): Map<string, RawValue> {
  const text = readText(path)
  if (text === undefined) throw invalidOption('Unable to read TOML configuration, file not found.')
  return readToml(text, path, (name) => findOption(OPTIONS, name), optionWords(OPTIONS))
}

/**
 * Checks syntax, names and types of a TOML file.
 * @throws {NodeError} INVALID_OPTION
 */
export function validateConfigFile(path: string, readText: CommandLineSources['readText']): void {
  const table: OptionTable = OPTIONS
  for (const [name, raw] of readConfigFile(path, readText)) {
    const spec = table[name]
    if (spec !== undefined) convertValue(name, spec, raw)
  }
}

/** Values of the environment by option name. */
export function fromEnvironment(environment: CommandLineSources['environment']): Map<string, RawValue> {
  const values = new Map<string, RawValue>()
  for (const [name, spec] of Object.entries(OPTIONS as OptionTable)) {
    const names = [name, ...(spec.aliases ?? [])].filter((item) => item.length > 1).flatMap(environmentNames)
    const variableValue = names.map((variable) => environment[variable]).find((value) => value !== undefined)
    if (variableValue !== undefined) values.set(name, variableValue)
  }
  return values
}
