/**
 * Progress of long work: a line that is overwritten on a terminal, one line per minute elsewhere.
 * @module
 */

import type { WorkProgress } from '../base/ports/progress.ts'

/** Values of the progress, and their text. */
export interface Progress {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly text: string
}

interface Terminal {
  readonly columns: number
  write(text: string): unknown
}

type WriteLine = (message: string, fields: Progress['fields'], text: string) => void

const LIVE_INTERVAL_MS = 200
const LINE_INTERVAL_MS = 60_000
const CLEAR_LINE = '\r\x1b[K'

export class ProgressReport {
  readonly #terminal: Terminal | undefined
  readonly #writeLine: WriteLine
  readonly #now: () => number
  /** Time of the last line, or of the start of the work. */
  #lastMs: number | undefined
  #isShown = false

  /**
   * @param terminal undefined: lines
   * @param now monotonic milliseconds
   */
  constructor(terminal: Terminal | undefined, writeLine: WriteLine, now: () => number) {
    this.#terminal = terminal
    this.#writeLine = writeLine
    this.#now = now
  }

  /** @param progress is called only when it is shown */
  show(progress: () => Progress): void {
    const now = this.#now()
    const interval = this.#terminal === undefined ? LINE_INTERVAL_MS : LIVE_INTERVAL_MS
    this.#lastMs ??= this.#terminal === undefined ? now : now - interval
    if (now - this.#lastMs < interval) return
    this.#lastMs = now
    const { message, fields, text } = progress()
    if (this.#terminal === undefined) {
      this.#writeLine(message, fields, text)
      return
    }
    this.#isShown = true
    this.#terminal.write(`${CLEAR_LINE}${text.slice(0, (this.#terminal.columns || 80) - 1)}`)
  }

  /** Removes the line from the terminal, before another line is written. */
  clear(): void {
    if (!this.#isShown) return
    this.#isShown = false
    this.#terminal?.write(CLEAR_LINE)
  }

  /** Ends the work: the next call of {@link show} starts another. */
  end(): void {
    this.clear()
    this.#lastMs = undefined
  }
}

const SECOND_MS = 1000
const MINUTE_S = 60
const HOUR_S = 3600

/** Such as `2 h 5 min`, `5 min 2 s`, `2 s`. */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / SECOND_MS)
  const [hours, minutes] = [Math.floor(seconds / HOUR_S), Math.floor((seconds % HOUR_S) / MINUTE_S)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % MINUTE_S} s` : `${seconds} s`
}

/** The progress of a task of which the completed part is known, with the estimated rest. */
export function workProgress({ work, fields, fraction, remainingMs }: WorkProgress): Progress {
  const percent = Math.floor(fraction * 100)
  const names = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`)
  return {
    message: work,
    fields: { ...fields, percent, ...secondsLeft(remainingMs) },
    text: `${work}${names.join('')}: ${percent} %${timeLeft(remainingMs)}`,
  }
}

/** Such as `, about 5 s left`; empty at the start and at the end. */
export function timeLeft(remainingMs: number | undefined): string {
  return remainingMs === undefined || remainingMs <= 0 ? '' : `, about ${durationText(remainingMs)} left`
}

export function secondsLeft(remainingMs: number | undefined): { readonly secondsLeft?: number } {
  return remainingMs === undefined ? {} : { secondsLeft: Math.ceil(remainingMs / SECOND_MS) }
}
