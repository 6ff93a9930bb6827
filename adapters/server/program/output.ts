/**
 * Everything that the program writes: results and the node's events on stdout; warnings, errors and progress on stderr.
 * With `--logging-format=json` every line on both is a JSON object.
 * @module
 */
import process from 'node:process'
import { MAX_UNREAD_OUTPUT_BYTES } from '../../../src/base/limits/limits.ts'
import type { Logger, LogLevel } from '../../../src/base/ports/host.ts'
import type { WorkProgress } from '../../../src/base/ports/progress.ts'
import { ProgressReport, workProgress } from '../../../src/cli/progress.ts'
import {
  AdjustableThreshold,
  createLogger,
  formatRecord,
  type LogFormat,
  type LogSetting,
  shows,
} from '../../shared/logging.ts'
import { type LogRecord, lineStart, ROOT_CATEGORY } from '../../shared/logRecord.ts'
import { type OutputEvent, recordOf } from '../../shared/outputEvent.ts'
import { colorStyle, linkingStyle, plainStyle, type Style } from '../../shared/style.ts'
import { showsLinks } from './terminalLinks.ts'

export interface OutputOptions {
  /** Default: INFO */
  readonly level?: LogSetting
  /** Default: TEXT */
  readonly format?: LogFormat
  /** undefined: the environment and the terminal decide */
  readonly color?: boolean | undefined
  /** Whether the log may have links to the explorer; the environment and the terminal decide. Default: false. */
  readonly hasLinks?: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

export class Output {
  /** Writes to stderr. */
  readonly logger: Logger
  /** On stderr. */
  readonly progress: ProgressReport
  readonly format: LogFormat
  /** Levels of the whole output and of categories of the log. */
  readonly levels: AdjustableThreshold
  /** Called before an error that ends the program is written. */
  beforeFailure: (() => void) | undefined
  readonly #hasLinks: boolean
  #outStyle: Style
  readonly #errorStyle: Style

  constructor({ level = 'INFO', format = 'TEXT', color, hasLinks = false, environment }: OutputOptions) {
    this.levels = new AdjustableThreshold(level)
    this.format = format
    const style = (stream: Stream): Style =>
      format === 'TEXT' && hasColor(stream, color, environment) ? colorStyle : plainStyle
    this.#hasLinks = hasLinks && format === 'TEXT' && process.stdout.isTTY === true && showsLinks(environment)
    this.#outStyle = style(process.stdout)
    this.#errorStyle = style(process.stderr)
    this.logger = createLogger(this.levels, (record) => this.#toError(record))
    const isLive = format === 'TEXT' && process.stderr.isTTY === true
    this.progress = new ProgressReport(
      isLive ? process.stderr : undefined,
      (message, fields, text) => this.#toError(recordOf({ message, fields, text: () => text })),
      () => performance.now(),
    )
  }

  get level(): LogSetting {
    return this.levels.level
  }

  set level(level: LogSetting) {
    this.levels.level = level
  }

  /** The log has links from now on, if the terminal shows them. @param url of the explorer, with a slash at its end */
  linkTo(url: string): void {
    if (this.#hasLinks) this.#outStyle = linkingStyle(this.#outStyle, url)
  }

  shows(level: LogLevel): boolean {
    return shows(this.level, level)
  }

  /** Writes one line to stdout if the level shows it. */
  report(event: OutputEvent): void {
    if (this.shows(event.level ?? 'info')) this.#toOut(recordOf(event))
  }

  /** Writes those of several lines that the level shows to stdout, together. */
  reportAll(events: readonly OutputEvent[]): void {
    const nowMs = Date.now()
    const style = this.#outStyle
    const isText = this.format === 'TEXT'
    // Lines of the same level and time begin with the same text.
    let last: LogLevel | undefined
    let lastMs = nowMs
    let isShown = false
    let start = ''
    let lines = ''
    for (const event of events) {
      const { level = 'info', category = ROOT_CATEGORY, timeMs = nowMs } = event
      if (level !== last || timeMs !== lastMs) {
        last = level
        lastMs = timeMs
        isShown = this.shows(level)
        start = lineStart({ timeMs, level, category: ROOT_CATEGORY }, style)
      }
      if (!isShown) continue
      if (isText && event.text !== undefined && category === ROOT_CATEGORY) lines += `${start + event.text(style)}\n`
      else lines += `${formatRecord(recordOf(event, timeMs), this.format, style)}\n`
    }
    if (lines === '') return
    this.progress.clear()
    process.stdout.write(lines)
  }

  /** Whether stdout is backed up. */
  get isBehind(): boolean {
    return process.stdout.writableLength > MAX_UNREAD_OUTPUT_BYTES
  }

  /** Writes a result to stdout at every level, without time and level in the text form. */
  print({ text, ...event }: OutputEvent): void {
    if (this.format === 'JSON') this.#toOut(recordOf(event))
    else writeLine(process.stdout, text?.(this.#outStyle) ?? event.message)
  }

  /** Prints a command's result verbatim in both forms, because scripts parse it. */
  printValue(text: string): void {
    writeLine(process.stdout, text)
  }

  /**
   * Writes an error that ends the program to stderr, at every level.
   * @param text complete text form, without time and level
   */
  fail(message: string, fields: Readonly<Record<string, unknown>> = {}, text?: () => string): void {
    this.beforeFailure?.()
    if (text === undefined || this.format === 'JSON') this.#toError(recordOf({ level: 'error', message, fields }))
    else writeLine(process.stderr, text())
  }

  /** Shows the progress of long work in the node, such as a migration. */
  showWork(progress: WorkProgress): void {
    this.progress.show(() => workProgress(progress))
  }

  #toOut(record: LogRecord): void {
    this.progress.clear()
    writeLine(process.stdout, formatRecord(record, this.format, this.#outStyle))
  }

  #toError(record: LogRecord): void {
    this.progress.clear()
    writeLine(process.stderr, formatRecord(record, this.format, this.#errorStyle))
  }
}

type Stream = Pick<typeof process.stdout, 'write'> & { readonly isTTY?: boolean }

/** The option precedes FORCE_COLOR, which precedes NO_COLOR, which precedes the kind of the stream. */
function hasColor(stream: Stream, option: boolean | undefined, environment: OutputOptions['environment']): boolean {
  if (option !== undefined) return option
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = environment
  if (force !== undefined) return force !== '0' && force !== 'false'
  return !no && stream.isTTY === true && term !== 'dumb'
}

function writeLine(stream: Stream, text: string): void {
  stream.write(`${text}\n`)
}

/** Logs the warnings of the runtime, such as deprecations, which it would print in its own form. */
export function logRuntimeWarnings({ logger }: Pick<Output, 'logger'>): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => logger.warn(message, { name }))
}

/**
 * Lets the process outlive the readers of its output: a closed pipe or terminal discards the output instead of ending
 * the node.
 */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
