/**
 * The Logger port: one level for all categories, records in text or JSON.
 * @module
 */

import { MAX_LOG_CATEGORIES } from '../../src/base/limits/limits.ts'
import type { Logger, LogLevel } from '../../src/base/ports/host.ts'
import type { LogLevels } from '../../src/base/ports/logLevels.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import type { NodeOptions } from '../../src/config/options.ts'
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
  /** Levels of categories and their parts, instead of `level`; undefined or empty: none. */
  readonly levels?: ReadonlyMap<string, LogSetting> | undefined
}

/** A threshold whose levels admin_changeLogLevel sets. */
export class AdjustableThreshold implements LogThreshold, LogLevels {
  level: LogSetting
  readonly levels: Map<string, LogSetting> = new Map()

  constructor(level: LogSetting) {
    this.level = level
  }

  set(level: LogSetting, categories?: readonly string[]): void {
    if (categories === undefined) {
      this.level = level
      this.levels.clear()
      return
    }
    for (const category of categories) {
      if (!this.levels.has(category) && this.levels.size >= MAX_LOG_CATEGORIES) {
        const message = `${MAX_LOG_CATEGORIES} categories have a level; change the level of the whole log to discard them`
        throw new NodeError({ code: 'TOO_MANY_LOG_LEVELS' }, message)
      }
      this.levels.set(category, level)
    }
  }
}

/** @param write receives each record that the level shows */
export function createLogger(
  threshold: Readonly<LogThreshold>,
  write: (record: LogRecord) => void,
  category: string = ROOT_CATEGORY,
): Logger {
  const log = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    if (shows(levelOf(threshold, category), level)) write({ timeMs: Date.now(), level, category, message, fields })
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

/** The level of the category, or of the nearest category above it that has one. */
function levelOf({ level, levels }: Readonly<LogThreshold>, category: string): LogSetting {
  if (levels === undefined || levels.size === 0) return level
  for (let name = category; ; name = name.slice(0, name.lastIndexOf('.'))) {
    const storedLevel = levels.get(name)
    if (storedLevel !== undefined) return storedLevel
    if (!name.includes('.')) return level
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
