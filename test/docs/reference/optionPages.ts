/** docs/options.md and docs/limits.md, from the option table and the limits. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as limits from '../../../src/base/limits/limits.ts'
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
    ['limits.md', limitsPage()],
  ])
}

function optionsPage(): string {
  const options = (Object.entries(OPTIONS) as unknown as Options).filter(([, { hidden }]) => hidden !== true)
  const working = options.filter(([, { later }]) => later === undefined)
  const later = options.filter(([, option]) => option.later !== undefined)
  const commands = Object.entries(COMMAND_OPTIONS) as unknown as [string, Record<string, Option>][]
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
    'that of the dev chain.',
    '',
    '`isonode --help` shows the usual options, `--help=GROUP` those of a group. `isonode completion bash` (or `zsh`, `fish`)',
    'prints a script that completes command lines.',
    '',
    ...groups.map(([title]) => `- [${title}](#${anchor(title)})`),
    '- [Commands](#commands)',
    '- [Options of missing parts](#options-of-missing-parts)',
    '',
    ...groups.flatMap(([title, rows]) => [`## ${title}`, '', ...optionTable(rows), '']),
    '## Commands',
    '',
    ...commands.flatMap(([name, rows]) => {
      const entries = Object.entries(rows)
      return [`### isonode ${name}`, '', ...(entries.length === 0 ? ['No options.'] : optionTable(entries, false)), '']
    }),
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

interface LimitGroup {
  readonly about: string
  readonly names: string[]
}

const LIMITS = ['limits.ts', 'networkLimits.ts', 'enclaveLimits.ts'].map((name) =>
  path.resolve(import.meta.dirname, '../../../src/base/limits', name),
)

function limitsPage(): string {
  const values = limits as Readonly<Record<string, unknown>>
  const rows = LIMITS.flatMap((file) => limitGroups(readFileSync(file, 'utf8'))).map(({ about, names }) => {
    const shown = names.map((name) => `\`${name}\` ${amount(name, values[name])}`)
    return `| ${cell(about)} | ${shown.join('<br>')} |`
  })
  return [
    '# Internal limits',
    '',
    'Bounds of queues, caches, buffers and times that are not options, generated from `src/base/limits`.',
    '',
    '| Limit | Values |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** The constants below each doc comment. */
function limitGroups(source: string): LimitGroup[] {
  const groups: LimitGroup[] = []
  for (const [, comment, name] of source.matchAll(/\/\*\*([\s\S]*?)\*\/|^export const (\w+)/gm)) {
    if (comment !== undefined) {
      if (comment.includes('@module')) continue
      groups.push({
        about: comment
          .replaceAll(/\s*\n\s*\*\s?/g, ' ')
          .replaceAll(/\{@link (\w+)\}/g, '`$1`')
          .trim(),
        names: [],
      })
    } else groups.at(-1)?.names.push(name as string)
  }
  return groups.filter(({ names }) => names.length > 0)
}

const MIB = 1024 * 1024

function amount(name: string, value: unknown): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return ''
  if (/_MS$/.test(name)) return `${grouped(value)} ms`
  if (/_SECONDS$/.test(name)) return `${grouped(value)} s`
  if (/(BYTES|LENGTH)$/.test(name))
    return Number(value) % MIB === 0 ? `${Number(value) / MIB} MiB` : `${grouped(value)} bytes`
  if (/GAS$/.test(name)) return `${grouped(value)} gas`
  return grouped(value)
}

function grouped(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
