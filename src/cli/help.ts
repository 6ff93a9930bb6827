/**
 * `--help`, from the option table and the limits.
 * @module
 */
import * as limits from '../config/limits.ts'
import {
  COMMAND_OPTIONS,
  type CommandName,
  environmentNames,
  GROUPS,
  OPTIONS,
  type OptionSpec,
  type OptionTable,
} from '../config/options.ts'

const WIDTH = 100
const INDENT = '      '

const COMMANDS: Readonly<Record<CommandName, string>> = {
  'blocks import': 'Import RLP blocks from files, then exit.',
  'blocks export': 'Write the blocks of the chain to a file.',
  'public-key export': 'Print the public key of the node.',
  'public-key export-address': 'Print the address of the node.',
  'password hash': 'Print the bcrypt hash of a password for a credentials file.',
  'validate-config': 'Check a TOML configuration file.',
}

/** @param command only the options of this one, or all */
export function helpText(command: CommandName | undefined): string {
  const lines = ['Usage: isonode [OPTIONS] [COMMAND]', '']
  if (command === undefined) {
    lines.push('Commands:', ...Object.entries(COMMANDS).map(([name, text]) => `  ${name.padEnd(28)}${text}`))
    lines.push(...groups(OPTIONS))
    lines.push(
      '',
      `Environment: ${environmentNames('rpc-http-port').slice(0, 2).join(' or ')} sets --rpc-http-port; other options accordingly.`,
    )
    lines.push('Precedence: command line, environment, TOML file, default.', '', ...limitLines())
  } else {
    lines[0] = `Usage: isonode [OPTIONS] ${command} [COMMAND OPTIONS]`
    lines.push(COMMANDS[command], ...groups(COMMAND_OPTIONS[command]))
  }
  return lines.join('\n')
}

function groups(table: OptionTable): string[] {
  const byGroup = new Map<string, string[]>()
  for (const [name, spec] of Object.entries(table)) {
    if (spec.hidden === true) continue
    const title = spec.group === undefined ? 'Options' : GROUPS[spec.group].title
    const lines = byGroup.get(title) ?? []
    lines.push(...optionLines(name, spec))
    byGroup.set(title, lines)
  }
  return [...byGroup].flatMap(([group, lines]) => ['', `${group}:`, ...lines])
}

const LATER_HINTS = {
  ignored: ' [not implemented: no effect]',
  refused: ' [not implemented: only the default is accepted]',
}

function optionLines(name: string, spec: OptionSpec): string[] {
  const names = [name, ...(spec.aliases ?? [])].map((item) => (item.length === 1 ? `-${item}` : `--${item}`))
  return [
    `  ${names.join(', ')}${valueHint(spec)}`,
    ...wrap(`${spec.help}${defaultHint(spec)}${spec.later === undefined ? '' : LATER_HINTS[spec.later]}`),
  ]
}

function valueHint({ type, choices, unit, form }: OptionSpec): string {
  if (type === 'boolean') return '[=true|false]'
  if (choices !== undefined) return `=${choices.join('|')}`
  if (type === 'list') return '=A,B,…'
  return `=${(unit ?? form ?? (type === 'text' ? 'text' : 'n')).toUpperCase()}`
}

function defaultHint(spec: OptionSpec): string {
  const [usual, dev] = [valueText(spec.default), valueText(spec.devDefault)]
  const hints = [...(usual === '' ? [] : [`default: ${usual}`]), ...(dev === '' ? [] : [`dev chain: ${dev}`])]
  return hints.length === 0 ? '' : ` (${hints.join('; ')})`
}

function valueText(value: OptionSpec['default']): string {
  if (value === undefined) return ''
  return Array.isArray(value) ? value.join(',') : String(value)
}

function wrap(text: string): string[] {
  const lines: string[] = []
  let line = INDENT
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH && line !== INDENT) {
      lines.push(line)
      line = INDENT
    }
    line += line === INDENT ? word : ` ${word}`
  }
  return [...lines, line]
}

function limitLines(): string[] {
  const rows = Object.entries(limits).map(([name, value]) => `  ${name.padEnd(40)}${String(value)}`)
  return ['Limits:', ...rows.sort()]
}
