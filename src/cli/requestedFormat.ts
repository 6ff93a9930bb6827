import { isNodeError } from '../base/primitives/errors.ts'
import type { NodeOptions } from '../config/options.ts'
import { type CommandLineSources, fromEnvironment, readConfigFile } from './parse.ts'
import type { RawValue } from './values.ts'

/** The `--logging-format` of a command line that has faults, for reporting them; TEXT if it cannot be determined. */
export function requestedFormat(sources: CommandLineSources): NodeOptions['logging-format'] {
  const raw = givenValue('logging-format', sources) ?? (isShort(sources) ? 'JSON' : fromFile(sources))
  return String(raw).toUpperCase() === 'JSON' ? 'JSON' : 'TEXT'
}

/** `--json` */
function isShort({ argv, environment }: CommandLineSources): boolean {
  if (argv.some((word) => /^--json(?:=true)?$/i.test(word))) return true
  return String(fromEnvironment(environment).get('json')).toLowerCase() === 'true'
}

function givenValue(name: string, { argv, environment }: CommandLineSources): RawValue | undefined {
  const option = `--${name}`
  const at = argv.findIndex((word) => word === option || word.startsWith(`${option}=`))
  if (at < 0) return fromEnvironment(environment).get(name)
  return argv[at] === option ? argv[at + 1] : argv[at]?.slice(option.length + 1)
}

function fromFile(sources: CommandLineSources): RawValue | undefined {
  const path = givenValue('config-file', sources)
  if (path === undefined) return undefined
  try {
    const file = readConfigFile(String(path), sources.readText)
    return file.get('logging-format') ?? (file.get('json') === true ? 'JSON' : undefined)
  } catch (error) {
    if (!isNodeError(error)) throw error
    return undefined
  }
}
