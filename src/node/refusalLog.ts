import { MAX_LOGGED_REFUSALS } from '../base/limits/limits.ts'
import type { Logger } from '../base/ports/host.ts'
import type { Refusal } from '../http/refusal.ts'

/** Logs each refused host and origin once, with the option that would allow it. */
export class RefusalLog {
  readonly #logger: Logger
  readonly #logged = new Set<string>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  readonly log = ({ kind, value, option }: Refusal): void => {
    const key = `${kind} ${value}`
    if (this.#logged.size > MAX_LOGGED_REFUSALS || this.#logged.has(key)) return
    this.#logged.add(key)
    if (this.#logged.size > MAX_LOGGED_REFUSALS) {
      this.#logger.warn('further refused hosts and origins are not logged', { logged: MAX_LOGGED_REFUSALS })
      return
    }
    this.#logger.warn(`refused a request because of its ${kind}`, {
      [kind]: value,
      ...(option === undefined ? {} : { allowedBy: option }),
    })
  }
}
