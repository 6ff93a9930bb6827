/**
 * The Logger port: one level for all categories, records in text or JSON.
 * @module
 */
import type { NodeOptions } from '../../src/config/options.ts'
import type { Logger, LogLevel } from '../../src/ports/host.ts'
import { jsonLine, type LogRecord, ROOT_CATEGORY, textLine } from './logRecord.ts'
import { plainStyle, type Style } from './style.ts'

/** `--logging` */
export type LogSetting = NodeOptions['logging']
/** `--logging-format` */
export type LogFormat = NodeOptions['logging-format']

const RANKS: Readonly<Record<LogLevel, number>> = { trace: 0, debug: 1, info: 2, warn: 3, error: 4 }

/** Lowest rank that is shown; OFF silences everything, ALL shows everything. */
const LOWEST: Readonly<Record<LogSetting, number>> = {
  OFF: 5,
  FATAL: 4,
  ERROR: 4,
  WARN: 3,
  INFO: 2,
  DEBUG: 1,
  TRACE: 0,
  ALL: 0,
}

/** Whether a level shows records of another. */
export function shows(setting: LogSetting, level: LogLevel): boolean {
  return RANKS[level] >= LOWEST[setting]
}

/** The level of a log, which can change while it is in use. */
export interface LogThreshold {
  level: LogSetting
}

/** @param write receives each record that the level shows */
export function createLogger(
  threshold: Readonly<LogThreshold>,
  write: (record: LogRecord) => void,
  category: string = ROOT_CATEGORY,
): Logger {
  const log = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    if (shows(threshold.level, level)) write({ timeMs: Date.now(), level, category, message, fields })
  }
  return {
    trace: (message, properties) => log('trace', message, properties),
    debug: (message, properties) => log('debug', message, properties),
    info: (message, properties) => log('info', message, properties),
    warn: (message, properties) => log('warn', message, properties),
    error: (message, properties) => log('error', message, properties),
    child: (name) => createLogger(threshold, write, category === ROOT_CATEGORY ? name : `${category}.${name}`),
  }
}

/** @returns the record's line, without a line end */
export function formatRecord(record: LogRecord, format: LogFormat, style: Style = plainStyle): string {
  return format === 'JSON' ? jsonLine(record) : textLine(record, style)
}

/** A logger that writes lines of text. @param write default: the console */
export function startLogging(level: LogSetting, write?: (line: string) => void): Logger {
  const print = (record: LogRecord): void => {
    const line = textLine(record, plainStyle)
    if (write === undefined) toConsole(record.level, line)
    else write(line)
  }
  return createLogger({ level }, print)
}

function toConsole(level: LogLevel, line: string): void {
  if (level === 'error') console.error(line)
  else if (level === 'warn') console.warn(line)
  else console.log(line)
}
