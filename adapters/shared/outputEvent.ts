/**
 * Events of the running node, as records of its log.
 * @module
 */
import type { LogLevel } from '../../src/base/ports/host.ts'
import { type LogRecord, ROOT_CATEGORY } from './logRecord.ts'
import type { Style } from './style.ts'

/** An event of the running node, such as a sealed block. */
export interface OutputEvent {
  /** Default: `info` */
  readonly level?: LogLevel
  /** Default: `isonode` */
  readonly category?: string
  /** Names the event; the values are in `fields`. */
  readonly message: string
  /** When it happened, in milliseconds since 1970; default: when it is written. */
  readonly timeMs?: number | undefined
  readonly fields?: Readonly<Record<string, unknown>>
  /** Replaces message and fields in the text form. */
  readonly text?: (style: Style) => string
}

export function recordOf(event: OutputEvent, timeMs: number = event.timeMs ?? Date.now()): LogRecord {
  return new EventRecord(event, timeMs)
}

/** Some events compute their fields only for the JSON form. */
class EventRecord implements LogRecord {
  readonly timeMs: number
  readonly level: LogLevel
  readonly category: string
  readonly message: string
  readonly #event: OutputEvent

  constructor(event: OutputEvent, timeMs: number) {
    this.timeMs = timeMs
    this.level = event.level ?? 'info'
    this.category = event.category ?? ROOT_CATEGORY
    this.message = event.message
    this.#event = event
  }

  get fields(): Readonly<Record<string, unknown>> {
    return this.#event.fields ?? {}
  }

  get text(): ((style: Style) => string) | undefined {
    const event = this.#event
    return event.text && ((style) => event.text?.(style) ?? '')
  }
}
