/**
 * src/cli/nodeFlags.ts, from the table of options.
 * @module
 */
import { LIBRARY_DEFAULTS, libraryFlags } from '../../../src/cli/libraryOptions.ts'
import { writtenValue } from '../../../src/cli/optionText.ts'
import { GROUPS, type GroupName, type OptionSpec, type OptionType } from '../../../src/config/options.ts'

const MAX_LINE = 120

const TYPES: Readonly<Record<Exclude<OptionType, 'choice'>, string>> = {
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  quantity: 'bigint | number | string',
  ether: 'bigint | number | string',
  text: 'string',
  list: 'readonly string[]',
}

export function nodeFlagsModule(): string {
  const flags = [...libraryFlags()]
  const groups = (Object.keys(GROUPS) as GroupName[]).filter((name) =>
    flags.some(([, { spec }]) => spec.group === name),
  )
  const sections = groups.map((group) => {
    const rows = flags.filter(([, { spec }]) => spec.group === group)
    return `  // ${GROUPS[group].title}\n\n${rows.map(([name, { row, spec }]) => property(name, row, spec)).join('\n')}`
  })
  return `/**
 * Generated from the table of options: run \`npm run docs\` after a change of the table.
 * @module
 */

/** Options of the command line that have no property of their own in \`StartOptions\`. */
export interface NodeFlags {
${sections.join('\n\n')}
}
`
}

function property(name: string, row: string, spec: OptionSpec): string {
  return `${comment(textOf(row, spec))}\n  readonly ${name}?: ${typeOf(spec)} | undefined`
}

function typeOf({ type, choices = [] }: OptionSpec): string {
  return type === 'choice' ? choices.map((choice) => `'${choice.toLowerCase()}'`).join(' | ') : TYPES[type]
}

/** Help, unit and default; names of other options as a program writes them. */
function textOf(name: string, spec: OptionSpec): string {
  const unit = spec.unit === undefined ? '' : ` Unit: ${spec.unit}.`
  const text = `${spec.help}${unit}${defaultText(name, spec)}`
  return text
    .replace(/--([a-z][\w-]*\w)(?:=(\S+))?/g, (_, option: string, value?: string) => {
      const written = option.replace(/-([a-z])/g, (__, letter: string) => letter.toUpperCase())
      return value === undefined ? `\`${written}\`` : `\`${written}\` ${value}`
    })
    .replaceAll('*/', '*\\/')
}

function defaultText(name: string, spec: OptionSpec): string {
  if (spec.help.includes('(default')) return ''
  const own = LIBRARY_DEFAULTS[name]
  if (own !== undefined) return ` Default: ${valueText(spec, own)}.`
  const value = spec.default ?? spec.newChainDefault
  const usual = value === undefined ? 'none' : valueText(spec, value)
  const dev = spec.devDefault === undefined ? '' : `; on the dev chain: ${valueText(spec, spec.devDefault)}`
  return ` Default: ${usual}${dev}.`
}

function valueText(spec: OptionSpec, value: OptionSpec['default']): string {
  const text = writtenValue(spec, value)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : text.replaceAll(',', ', ')
  return spec.type === 'text' || spec.type === 'choice'
    ? `'${spec.type === 'choice' ? text.toLowerCase() : text}'`
    : text
}

function comment(text: string): string {
  const line = `  /** ${text} */`
  if (line.length <= MAX_LINE) return line
  const lines: string[] = ['  /**']
  let current = '   *'
  for (const word of text.split(' ')) {
    if (current.length + 1 + word.length > MAX_LINE) {
      lines.push(current)
      current = '   *'
    }
    current += ` ${word}`
  }
  return [...lines, current, '   */'].join('\n')
}
