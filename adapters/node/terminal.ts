/**
 * Terminal output: results on stdout, log and progress on stderr, progress only on a terminal.
 * @module
 */
import process from 'node:process'

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function printError(text: string): void {
  progressLine.clear()
  process.stderr.write(`${text}\n`)
}

const SHORTEST_INTERVAL_MS = 200
const CLEAR_LINE = '\r\x1b[K'

/** One line that is overwritten; silent in a pipe. */
class ProgressLine {
  #shown = false
  #last = 0

  show(text: string): void {
    if (process.stderr.isTTY !== true) return
    const now = performance.now()
    if (this.#shown && now - this.#last < SHORTEST_INTERVAL_MS) return
    this.#last = now
    this.#shown = true
    process.stderr.write(`${CLEAR_LINE}${text.slice(0, (process.stderr.columns || 80) - 1)}`)
  }

  clear(): void {
    if (!this.#shown) return
    this.#shown = false
    process.stderr.write(CLEAR_LINE)
  }
}

export const progressLine: ProgressLine = new ProgressLine()

/** Aborted by the first SIGINT or SIGTERM; a second one ends the process immediately. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}
