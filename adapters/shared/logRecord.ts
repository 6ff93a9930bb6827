/**
 * The records of the log and their two forms: a line of text, and a line of JSON.
 * @module
 */
import type { LogLevel } from '../../src/base/ports/host.ts'
import { bytesToHex } from '../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { printable } from '../../src/base/primitives/printable.ts'
import type { Style } from './style.ts'

export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly timeMs: number
  readonly level: LogLevel
  /** Part of the node, such as `chain`; `isonode` for the program. */
  readonly category: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  /**
   * Replaces message and fields in the text form. The first of several lines follows time and level. Data from outside
   * must have passed {@link printable}.
   */
  readonly text?: ((style: Style) => string) | undefined
}

export const ROOT_CATEGORY = 'isonode'

/** Time, level and category of a line of text. */
export function lineStart({ timeMs, level, category }: Omit<LogRecord, 'message' | 'fields'>, style: Style): string {
  const source = category === ROOT_CATEGORY ? '' : `${style.dim(`[${category}]`)} `
  return `${style.dim(timeText(timeMs))} ${paintLevel(level, style)} ${source}`
}

/** @returns a line of text without a line end */
export function textLine(record: LogRecord, style: Style): string {
  const { message, text } = record
  const start = lineStart(record, style)
  if (text !== undefined) return start + text(style)
  const { fields } = record
  let line = start + printable(message)
  let stack = ''
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined) continue
    line += ` ${style.dim(`${name}=`)}${textValue(value)}`
    if (value instanceof Error && !isNodeError(value)) stack += stackLines(value)
  }
  return line + stack
}

let lastTime = { ms: 0, text: '' }

/** Records that are written together have the same time. */
function timeText(ms: number): string {
  if (ms !== lastTime.ms) lastTime = { ms, text: new Date(ms).toISOString() }
  return lastTime.text
}

const LEVEL_NAMES: Readonly<Record<LogLevel, string>> = {
  trace: 'TRACE',
  debug: 'DEBUG',
  info: 'INFO ',
  warn: 'WARN ',
  error: 'ERROR',
}

function paintLevel(level: LogLevel, style: Style): string {
  const name = LEVEL_NAMES[level]
  switch (level) {
    case 'error':
      return style.red(name)
    case 'warn':
      return style.yellow(name)
    case 'info':
      return style.green(name)
    default:
      return style.dim(name)
  }
}

/** Texts without spaces are bare; all others are quoted. Backslashes stay single: a reader may copy the text. */
function textValue(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : value instanceof Error ? errorText(value) : objectText(value)
  return /^[^\s"=]+$/.test(text) ? printable(text) : `"${printable(text.replaceAll('"', '\\"'))}"`
}

function objectText(value: unknown): string {
  if (value instanceof Uint8Array) return bytesToHex(value)
  return isSerializable(value) ? toJson(value) : String(value)
}

/** The message, and those of the causes. */
function errorText(error: Error): string {
  const messages = [error.message]
  for (let { cause } = error; cause instanceof Error && messages.length < 4; { cause } = cause)
    messages.push(cause.message)
  return messages.join(': ')
}

/** The call stack of an unexpected error, in indented lines. */
function stackLines({ stack = '' }: Error): string {
  const calls = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return calls.map((line) => `\n    ${printable(line.trim())}`).join('')
}

/** @returns one JSON object in one line: time, level, category, message, fields */
export function jsonLine({ timeMs, level, category, message, fields }: LogRecord): string {
  const values: Record<string, unknown> = {}
  for (const name in fields) values[name] = isSerializable(fields[name]) ? fields[name] : String(fields[name])
  const time = timeText(timeMs)
  // JSON leaves the C1 controls as they are, which terminals obey.
  return printable(toJson({ time, level: level.toUpperCase(), category, message, fields: values }))
}

/** Primitive values always are; an object may be circular. */
function isSerializable(value: unknown): boolean {
  if (typeof value !== 'object') return true
  try {
    toJson(value)
    return true
  } catch {
    return false
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, jsonValue) ?? 'null'
}

function jsonValue(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (value instanceof Error) {
    const { name, message, cause } = value
    if (isNodeError(value)) return { name, code: value.code, message, cause }
    return { name, message, stack: value.stack, cause }
  }
  return value
}
