/** docs/options.md and docs/commands.md, from the tables of options and commands. */
import { COMMANDS, type CommandRow, INFO_COMMANDS } from '../../../src/cli/commandTable.ts'
import { writtenValue } from '../../../src/cli/optionText.ts'
import type { OptionSpec as Option } from '../../../src/config/options.ts'
import * as table from '../../../src/config/options.ts'
import { anchor, cell } from './methodPages.ts'

const { COMMAND_OPTIONS, environmentNames, OPTIONS } = table

type Options = readonly (readonly [name: string, option: Option])[]

/** Path below docs/ → text. */
export function optionPages(): Map<string, string> {
  return new Map([
    ['options.md', optionsPage()],
    ['commands.md', commandsPage()],
  ])
}

function optionsPage(): string {
  const options = (Object.entries(OPTIONS) as unknown as Options).filter(([, { hidden }]) => hidden !== true)
  const working = options.filter(([, { later }]) => later === undefined)
  const later = options.filter(([, option]) => option.later !== undefined)
  const groups = groupsOf(working)
  return [
    '# Options',
    '',
    'Generated from the option table by `npm run docs`. An option has the same name in every place:',
    '',
    '| Place | `--rpc-http-port` |',
    '|---|---|',
    '| command line | `--rpc-http-port=8545` or `--rpc-http-port 8545` |',
    `| environment | ${environmentNames('rpc-http-port')
      .slice(0, 2)
      .map((name) => `\`${name}=8545\``)
      .join(' or ')} |`,
    '| TOML file (`--config-file`) | `rpc-http-port=8545` |',
    '',
    'The command line precedes the environment, which precedes the file. In a TOML file numbers and booleans are bare,',
    'texts are quoted, and lists are arrays. Lists on the command line are separated by commas. A default after "dev:" is',
    'that of the dev chain. [Commands](commands.md) have options of their own.',
    '',
    '`isonode --help` shows the usual options, `--help=GROUP` those of a group. `isonode completion bash` (or `zsh`, `fish`)',
    'prints a script that completes command lines.',
    '',
    ...groups.map(([title]) => `- [${title}](#${anchor(title)})`),
    '- [Options of missing parts](#options-of-missing-parts)',
    '',
    ...groups.flatMap(([title, rows]) => [`## ${title}`, '', ...optionTable(rows), '']),
    '## Options of missing parts',
    '',
    'Options of Besu for parts that are not built yet. Those marked "refused" protect the node or change its results, so',
    'the node does not start when they are set. The others are accepted with a warning, so existing command lines work.',
    '',
    '| Option | Type | |',
    '|---|---|---|',
    ...later.map(
      ([name, option]) =>
        `| ${names(name, option)} | ${typeText(option)} | ${option.later === 'refused' ? 'refused' : ''} |`,
    ),
    '',
  ].join('\n')
}

function commandsPage(): string {
  const tables: Readonly<Record<string, Readonly<Record<string, Option>>>> = COMMAND_OPTIONS
  const commands: readonly [string, CommandRow][] = [...Object.entries(COMMANDS), ...Object.entries(INFO_COMMANDS)]
  return [
    '# Commands',
    '',
    'Generated from the table of commands by `npm run docs`. Without a command, `isonode` runs a node: the dev chain, or the',
    'network of `--network` or `--genesis-file`. `isonode help COMMAND` prints the same on the terminal.',
    '',
    '[Options](options.md) of the node, such as `--data-path`, may stand before or after the command; those in the tables',
    'below belong to one command. `--version` and `--help` are the same as `version` and `help`.',
    '',
    '| Command | Purpose |',
    '|---|---|',
    '| `isonode` | Run a node. |',
    ...commands.map(([name, { summary }]) => `| [\`${name}\`](#isonode-${anchor(name)}) | ${cell(summary)} |`),
    '',
    ...commands.flatMap(([name, { summary, operands, example }]) => {
      const rows = Object.entries(tables[name] ?? {}).filter(([, { later }]) => later === undefined)
      const usage = ['isonode', name, ...(rows.length > 0 ? ['[OPTIONS]'] : []), operands ?? ''].join(' ').trim()
      return [
        `## isonode ${name}`,
        '',
        `${summary} Usage: \`${usage}\``,
        '',
        '```sh',
        example,
        '```',
        '',
        ...(rows.length === 0 ? [] : [...optionTable(rows, false), '']),
      ]
    }),
  ].join('\n')
}

function groupsOf(options: Options): [string, Options][] {
  const titles = (table as unknown as { GROUPS?: Record<string, { title: string }> }).GROUPS
  const groups = new Map<string, Options>(Object.keys(titles ?? {}).map((name) => [name, []]))
  for (const entry of options) {
    const group = entry[1].group ?? ''
    groups.set(group, [...(groups.get(group) ?? []), entry])
  }
  return [...groups].filter(([, rows]) => rows.length > 0).map(([name, rows]) => [titles?.[name]?.title ?? name, rows])
}

function optionTable(rows: Options, isGlobal = true): string[] {
  const head = isGlobal
    ? ['| Option | Type | Default | Environment | Meaning |', '|---|---|---|---|---|']
    : ['| Option | Type | Default | Meaning |', '|---|---|---|---|']
  return [
    ...head,
    ...rows.map(([name, option]) => {
      const { availability, required, help } = option
      const dev = availability === 'dev' ? ' Dev chain only.' : ''
      const meaning = cell(`${help}${required === true ? ' Required.' : ''}${dev}`)
      const environment = isGlobal ? ` \`${environmentNames(name)[0]}\` |` : ''
      return `| ${names(name, option)} | ${typeText(option)} | ${defaultText(option)} |${environment} ${meaning} |`
    }),
  ]
}

function names(name: string, { aliases = [] }: Option): string {
  return [name, ...aliases].map((item) => `\`${item.length === 1 ? '-' : '--'}${item}\``).join(', ')
}

function typeText({ type, choices, min, max, unit, form }: Option): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ')
  const words: Readonly<Record<string, string>> = {
    boolean: '`true`, `false`',
    list: 'list',
    text: 'text',
    wei: 'integer',
    quantity: 'integer, hex allowed',
    ether: 'number',
  }
  const range = min === undefined ? '' : max === undefined ? ` from ${min}` : ` ${min} to ${max}`
  const name = type === 'text' && form !== undefined ? form : (words[type] ?? type)
  return `${name}${range}${unit === undefined ? '' : ` (${unit})`}`
}

function defaultText(option: Option): string {
  const usual = valueText(option, option.default ?? option.newChainDefault)
  if (option.devDefault === undefined) return usual
  return `${usual === '' ? '' : `${usual}; `}dev: ${valueText(option, option.devDefault)}`
}

function valueText(option: Option, value: Option['default']): string {
  if (value === undefined) return ''
  const text = writtenValue(option, value)
  return text === '' ? 'none' : `\`${cell(text)}\``
}
