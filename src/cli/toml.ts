/**
 * TOML configuration files: top-level keys are option names without dashes.
 * @module
 */
import { parse, TomlError } from 'smol-toml'
import type { OptionSpec } from '../config/options.ts'
import { wordHint } from './suggest.ts'
import { invalidOption, type RawValue } from './values.ts'

/** Options that are valid on the command line only. */
const NOT_IN_FILES: ReadonlySet<string> = new Set(['config-file', 'help', 'version'])

/**
 * @param text content of the file
 * @param find the canonical name of an option or alias
 * @param names of options, for suggestions
 * @returns raw values by canonical option name
 * @throws {NodeError} INVALID_OPTION
 */
export function readToml(
  text: string,
  path: string,
  find: (name: string) => { readonly name: string; readonly spec: OptionSpec } | undefined,
  names: readonly string[] = [],
): Map<string, RawValue> {
  if (text.trim() === '') throw invalidOption(`Unable to read TOML configuration file ${path}`)
  const table = parseToml(text)
  const values = new Map<string, RawValue>()
  const unknown: string[] = []
  for (const [key, value] of Object.entries(table)) {
    const option = find(key)
    if (option === undefined || NOT_IN_FILES.has(option.name)) unknown.push(key)
    else values.set(option.name, rawValue(key, value))
  }
  if (unknown.length === 1)
    throw invalidOption(
      `Unknown option in TOML configuration file: ${unknown[0]}${wordHint(unknown[0] as string, names)}`,
    )
  if (unknown.length > 1) throw invalidOption(`Unknown options in TOML configuration file: ${unknown.join(', ')}`)
  return values
}

function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [reason] = error.message.split('\n')
    throw invalidOption(`Invalid TOML configuration: ${reason} (line ${error.line}, column ${error.column})`)
  }
}

function rawValue(key: string, value: unknown): RawValue {
  if (Array.isArray(value)) return value.map((item) => rawValue(key, item))
  if (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    typeof value === 'bigint'
  ) {
    return value
  }
  throw invalidOption(`Invalid TOML configuration: ${key} must be a string, an integer, a boolean or an array`)
}
