import type { Clock, Logger } from '../base/ports/host.ts'
import type { ShowProgress } from '../base/ports/progress.ts'

const REPORT_INTERVAL_MS = 60_000
const SECOND_MS = 1000

export interface LongWorkDeps {
  readonly clock: Clock
  readonly logger: Logger
  /** Default: a log message per minute. */
  readonly showProgress?: ShowProgress | undefined
}

/** Reports the start, the progress and the end of one long task. */
export class LongWork {
  readonly #host: LongWorkDeps
  readonly #work: string
  readonly #fields: Readonly<Record<string, unknown>>
  readonly #startedMs: number
  #reportedMs: number
  /** Work that continues after a restart begins with a part that is complete. */
  #firstFraction: number | undefined

  /** @param work such as `migrating the database` */
  constructor(host: LongWorkDeps, work: string, fields: Readonly<Record<string, unknown>>) {
    this.#host = host
    this.#work = work
    this.#fields = fields
    this.#startedMs = host.clock.monotonic()
    this.#reportedMs = this.#startedMs
    host.logger.info(work, fields)
  }

  /** @param fraction completed part of the whole, 0 to 1 */
  report(fraction: number): void {
    const { clock, logger, showProgress } = this.#host
    const now = clock.monotonic()
    this.#firstFraction ??= fraction
    if (showProgress !== undefined) {
      const reportedFraction = fraction - this.#firstFraction
      const remainingMs =
        reportedFraction > 0 ? ((now - this.#startedMs) * (1 - fraction)) / reportedFraction : undefined
      showProgress({ work: this.#work, fields: this.#fields, fraction, remainingMs })
      return
    }
    if (now - this.#reportedMs < REPORT_INTERVAL_MS) return
    this.#reportedMs = now
    logger.info(this.#work, { ...this.#fields, percent: Math.floor(fraction * 100) })
  }

  end(): void {
    const { clock, logger } = this.#host
    const seconds = Number(((clock.monotonic() - this.#startedMs) / SECOND_MS).toFixed(1))
    logger.info(`finished ${this.#work}`, { ...this.#fields, seconds })
  }
}
