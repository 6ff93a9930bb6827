/**
 * Options that stand for others.
 * @module
 */
import { OPTIONS, type OptionTable } from '../config/options.ts'
import { invalidOption, type RawValue } from './values.ts'

/**
 * Adds the options that each given one stands for.
 * @param raw values of all sources by option name
 * @throws {NodeError} INVALID_OPTION when one of them is given as well, with another value
 */
export function expandShorthands(raw: ReadonlyMap<string, RawValue>): Map<string, RawValue> {
  const expanded = new Map(raw)
  const table: OptionTable = OPTIONS
  for (const [name, value] of raw) {
    const spec = table[name]
    if (spec?.standsFor === undefined || (spec.type === 'boolean' && !isSame(value, true))) continue
    const ownValue = value === '' && spec.bareValue !== undefined ? spec.bareValue : value
    for (const [option, meaning = ownValue] of spec.standsFor) {
      const other = raw.get(option)
      if (other !== undefined && !isSame(other, meaning)) {
        const text = `--${option}${meaning === true || meaning === 'true' ? '' : `=${String(meaning)}`}`
        throw invalidOption(`--${name} means ${text}, so it cannot be combined with --${option}=${String(other)}.`)
      }
      expanded.set(option, meaning)
    }
  }
  return expanded
}

function isSame(a: RawValue, b: RawValue): boolean {
  return String(a).toLowerCase() === String(b).toLowerCase()
}
