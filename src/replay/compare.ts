/**
 * Differences between two values of JSON.
 * @module
 */
import { MAX_CALL_DIFFERENCES } from '../base/limits/limits.ts'

export interface Difference {
  /** `result.logs[0].data` */
  readonly path: string
  /** undefined: there is none */
  readonly recorded: unknown
  readonly replayed: unknown
}

/** Differences in the order of the recorded value, at most `MAX_CALL_DIFFERENCES`. Hex digits may have either case. */
export function differences(recorded: unknown, replayed: unknown, path: string): Difference[] {
  const found: Difference[] = []
  collect(recorded, replayed, path, found)
  return found
}

function collect(recorded: unknown, replayed: unknown, path: string, found: Difference[]): void {
  if (found.length >= MAX_CALL_DIFFERENCES) return
  if (Array.isArray(recorded) && Array.isArray(replayed)) {
    if (recorded.length !== replayed.length) {
      found.push({ path: `${path}.length`, recorded: recorded.length, replayed: replayed.length })
    } else for (const [i, item] of recorded.entries()) collect(item, replayed[i], `${path}[${i}]`, found)
  } else if (isObject(recorded) && isObject(replayed)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(replayed)])) {
      collect(recorded[name], replayed[name], `${path}.${name}`, found)
    }
  } else if (plain(recorded) !== plain(replayed)) found.push({ path, recorded, replayed })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Objects beside values of another kind are never equal. */
function plain(value: unknown): unknown {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value) ? value.toLowerCase() : value
}
