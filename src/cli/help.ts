/**
 * `--help`, from the option table: a short page, one page per group and command, and a page with everything.
 * @module
 */
import {
  COMMAND_OPTIONS,
  type CommandName,
  GROUPS,
  type GroupName,
  OPTIONS,
  type OptionSpec,
  type OptionTable,
} from '../config/options.ts'
import { COMMAND_NAMES, COMMANDS, type CommandRow, INFO_COMMANDS } from './commandTable.ts'
import { description, findOption, namesOf, summary, valueForm } from './optionText.ts'
import { wordHint } from './suggest.ts'
import { invalidOption } from './values.ts'

/** Text width in a pipe, and maximum text width on a terminal. */
const PIPE_COLUMNS = 80
const MAX_COLUMNS = 110
const INDENT = 2
/** Column at which descriptions begin. */
const TEXT_COLUMN = 30

/** The options of the short page by the names that users know best. */
const MAIN_OPTIONS = [
  'port',
  'host',
  'chain-id',
  'accounts',
  'balance',
  'mnemonic',
  'block-time',
  'hardfork',
  'data-path',
  'ephemeral',
  'genesis-file',
  'network',
  'config-file',
  'verbose',
  'quiet',
] as const

const COMPATIBILITY = 'compatibility'
const TABLE: OptionTable = OPTIONS
const GROUP_NAMES = Object.keys(GROUPS) as GroupName[]

type Row = readonly [head: string, text: string]

/**
 * @param topic words after `help`, or the value of --help: a command, the first word of commands, a group, or `all`;
 *   empty for the short page
 * @param columns width of the terminal; undefined in a pipe
 * @throws {NodeError} INVALID_OPTION for an unknown topic
 */
export function helpText(topic: readonly string[] = [], columns: number = PIPE_COLUMNS): string {
  const width = Math.min(columns, MAX_COLUMNS)
  return page(topic.join(' '))
    .flatMap((part) => (typeof part === 'string' ? wrap(part, 0, width) : rows(part, width)))
    .join('\n')
}

/** @returns the line that follows an error: how to see the group of the first option that the message names */
export function helpHint(message: string): string {
  for (const [, name] of message.matchAll(/--([a-z][\w-]*)/gi)) {
    const option = findOption(TABLE, name as string)
    if (option !== undefined) return `Help: isonode --help=${option.spec.group}`
  }
  return 'Help: isonode --help'
}

/** Lines and tables. */
type Page = readonly (string | readonly Row[])[]

function page(topic: string): Page {
  if (topic === '') return shortPage()
  if (topic === 'all') return allPage()
  if (topic === COMPATIBILITY) return compatibilityPage()
  const commands = COMMAND_NAMES.filter((name) => name === topic || name.startsWith(`${topic} `))
  if (commands.length > 0) return commands.flatMap((name, i) => [...(i > 0 ? [''] : []), ...commandPage(name)])
  const group = GROUP_NAMES.find((name) => name === topic.toLowerCase())
  if (group !== undefined) return groupPage(group)
  const info = Object.entries(INFO_COMMANDS).find(([name]) => name === topic)
  if (info !== undefined) return [`Usage: isonode ${usageOf(...info)}`, '', info[1].summary]
  const option = findOption(TABLE, topic.replace(/^-+/, ''))
  if (option !== undefined) return [[optionRow(option.name, option.spec)]]
  const topics = [...GROUP_NAMES, ...COMMAND_NAMES, ...Object.keys(INFO_COMMANDS), COMPATIBILITY, 'all']
  throw invalidOption(`No help topic '${topic}'${wordHint(topic, topics)}`)
}

function usageOf(name: string, { operands }: CommandRow): string {
  return operands === undefined ? name : `${name} ${operands}`
}

function shortPage(): Page {
  const options = MAIN_OPTIONS.map((name): Row => {
    const option = findOption(TABLE, name)
    if (option === undefined) throw new TypeError(`there is no option ${name}`)
    const letter = option.spec.aliases?.find((alias) => alias.length === 1)
    return [`${letter === undefined ? '    ' : `-${letter}, `}--${name}${valueForm(option.spec)}`, summary(option.spec)]
  })
  return [
    'Usage: isonode [OPTIONS] [COMMAND]',
    '',
    'Without options, isonode runs a dev chain on http://127.0.0.1:8545 and keeps its data in .isonode/dev.',
    '',
    'Commands:',
    commandRows(),
    '',
    'Options used most:',
    options,
    '',
    'More options: isonode --help=GROUP, where GROUP is one of',
    groupRows(),
    '',
    'Every option can be set by an environment variable (ISONODE_CHAIN_ID=5) or in a TOML file.',
  ]
}

/** First words of commands that are one row: `help db` and `help mirror` describe each. */
const FAMILIES: readonly string[] = ['db', 'mirror']

function commandRows(): Row[] {
  const commands = Object.entries({ ...COMMANDS, ...INFO_COMMANDS })
  return commands.flatMap(([name, row]): Row[] => {
    const family = FAMILIES.find((word) => name.startsWith(`${word} `))
    if (family === undefined) return [[usageOf(name, row), row.summary]]
    const members = commands.map(([other]) => other).filter((other) => other.startsWith(`${family} `))
    if (members[0] !== name) return []
    const names = members.map((member) => member.slice(family.length + 1))
    return [[`${family} COMMAND`, `${names.join(', ')} (help ${family})`]]
  })
}

function groupRows(): Row[] {
  const used = GROUP_NAMES.filter((group) => workingOptions(group).length > 0)
  return [
    ...used.map((group): Row => [group, GROUPS[group].summary]),
    [COMPATIBILITY, 'options without effect, for existing command lines'],
    ['all', 'everything'],
  ]
}

function workingOptions(group: GroupName): [string, OptionSpec][] {
  return Object.entries(TABLE).filter(([, spec]) => {
    return spec.group === group && spec.later === undefined && spec.hidden !== true
  })
}

function laterOptions(kind: OptionSpec['later'], group?: GroupName): string[] {
  return Object.entries(TABLE)
    .filter(([, spec]) => spec.later === kind && spec.hidden !== true && (group ?? spec.group) === spec.group)
    .map(([name]) => `--${name}`)
}

function groupPage(group: GroupName): Page {
  const { title } = GROUPS[group]
  const working = workingOptions(group).map(([name, spec]) => optionRow(name, spec))
  return [
    ...(working.length === 0
      ? [`${title}: no option of this group has an effect in this version.`]
      : [`${title}:`, working]),
    ...laterLines(group),
  ]
}

/** @param group undefined: all groups */
function laterLines(group?: GroupName): Page {
  const [ignored, refused] = [laterOptions('ignored', group), laterOptions('refused', group)]
  return [
    ...(ignored.length === 0 ? [] : ['', 'Accepted without effect:', ...ignored.map((name) => `  ${name}`)]),
    ...(refused.length === 0
      ? []
      : ['', 'Not implemented, only the default is accepted:', ...refused.map((name) => `  ${name}`)]),
  ]
}

function compatibilityPage(): Page {
  return ['Options for existing command lines:', ...laterLines()]
}

function commandPage(name: CommandName): Page {
  const options: OptionTable = COMMAND_OPTIONS[name]
  const { summary, operands, example } = COMMANDS[name]
  const entries = Object.entries(options)
  const working = entries.filter(([, { later }]) => later === undefined)
  const refused = entries.filter(([, { later }]) => later !== undefined)
  const words = ['isonode [OPTIONS]', name, ...(entries.length > 0 ? ['[COMMAND OPTIONS]'] : []), operands ?? '']
  return [
    `Usage: ${words.join(' ').trim()}`,
    '',
    summary,
    '',
    `Example: ${example}`,
    ...(working.length === 0 ? [] : ['', 'Command options:', working.map(([option, spec]) => optionRow(option, spec))]),
    ...(refused.length === 0 ? [] : ['', 'Not implemented:', ...refused.map(([option]) => `  --${option}`)]),
  ]
}

function allPage(): Page {
  const used = GROUP_NAMES.filter((group) => workingOptions(group).length > 0)
  return [
    'Usage: isonode [OPTIONS] [COMMAND]',
    '',
    'Commands:',
    commandRows(),
    ...used.flatMap((group): Page => {
      return ['', `${GROUPS[group].title}:`, workingOptions(group).map(([name, spec]) => optionRow(name, spec))]
    }),
    ...COMMAND_NAMES.flatMap((name) => ['', ...commandPage(name)]),
    ...laterLines(),
  ]
}

function optionRow(name: string, spec: OptionSpec): Row {
  return [`${namesOf(name, spec).join(', ')}${valueForm(spec)}`, description(spec)]
}

/** Aligns the texts; a long head has its text on the next line. */
function rows(table: readonly Row[], width: number): string[] {
  const indent = ' '.repeat(INDENT)
  const isNarrow = width < 2 * TEXT_COLUMN
  const column = isNarrow ? 3 * INDENT : TEXT_COLUMN
  return table.flatMap(([head, text]) => {
    const lines = wrap(text, column, width)
    if (isNarrow || INDENT + head.length + 2 > column) return [...wrap(head, INDENT, width), ...lines]
    const [first = '', ...rest] = lines
    return [`${(indent + head).padEnd(column)}${first.trimStart()}`, ...rest]
  })
}

/** Breaks a text into lines of a width, each indented. */
function wrap(text: string, indent: number, width: number): string[] {
  const margin = ' '.repeat(indent)
  if (text === '' || text.startsWith(' ')) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(margin + line)
      line = ''
    }
    line += line === '' ? word : ` ${word}`
  }
  return [...lines, margin + line]
}
