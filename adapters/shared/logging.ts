/**
 * The Logger port over LogTape, which runs on every target: hierarchical categories, one level each.
 * @module
 */
import {
  configureSync,
  getConsoleSink,
  getLogger,
  getTextFormatter,
  type LogLevel,
  type Logger as Tape,
} from '@logtape/logtape'
import type { Logger } from '../../src/ports/host.ts'

/** `--logging` values; OFF silences everything, ALL shows everything. */
export type LogSetting = 'OFF' | 'FATAL' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE' | 'ALL'

const LEVELS: Readonly<Record<LogSetting, LogLevel | null>> = {
  OFF: null,
  FATAL: 'error',
  ERROR: 'error',
  WARN: 'warning',
  INFO: 'info',
  DEBUG: 'debug',
  TRACE: 'trace',
  ALL: 'trace',
}

const ROOT = 'isonode'

/** Receives formatted lines; default is the console. */
export type LineWriter = (line: string) => void

const formatter = getTextFormatter({
  timestamp: 'date-time',
  category: '.',
  level: 'FULL',
  // In Workers and pages, values are shown as JSON, where a bigint would make the whole line fail.
  value: (value, inspect) => (typeof value === 'bigint' ? String(value) : inspect(value)),
})

/** Sets the levels of the process's log and returns its root logger. Properties follow the message as `key=value`. */
export function startLogging(setting: LogSetting, write?: LineWriter): Logger {
  configureSync({
    reset: true,
    sinks: { lines: write === undefined ? getConsoleSink({ formatter }) : (record) => write(formatter(record)) },
    loggers: [
      { category: [ROOT], lowestLevel: LEVELS[setting], sinks: ['lines'] },
      { category: ['logtape', 'meta'], lowestLevel: 'error', sinks: ['lines'] },
    ],
  })
  return wrap(getLogger([ROOT]))
}

function wrap(tape: Tape): Logger {
  return {
    trace: (message, properties) => tape.trace(template(message, properties), properties ?? {}),
    debug: (message, properties) => tape.debug(template(message, properties), properties ?? {}),
    info: (message, properties) => tape.info(template(message, properties), properties ?? {}),
    warn: (message, properties) => tape.warn(template(message, properties), properties ?? {}),
    error: (message, properties) => tape.error(template(message, properties), properties ?? {}),
    child: (category) => wrap(tape.getChild(category)),
  }
}

/** Escapes the braces of the message, since only properties are placeholders. */
function template(message: string, properties: Record<string, unknown> | undefined): string {
  const text = message.replaceAll('{', '{{').replaceAll('}', '}}')
  if (properties === undefined) return text
  return Object.keys(properties).reduce((line, key) => `${line} ${key}={${key}}`, text)
}
