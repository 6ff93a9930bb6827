import { MAX_SECURITY_LINES, SECURITY_WINDOW_MS } from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'

/** An attempt that was refused. Texts are from outside: the log prints them escaped. */
export type SecurityEvent =
  | { readonly kind: 'login'; readonly client: string; readonly user: string; readonly reason: string }
  | {
      readonly kind: 'call'
      readonly client: string
      readonly user: string | undefined
      readonly method: string | undefined
    }
  | { readonly kind: 'certificate'; readonly client: string; readonly reason: string }

const MESSAGES: Readonly<Record<SecurityEvent['kind'], string>> = {
  login: 'a login failed',
  call: 'a call was refused: the caller lacks the permission',
  certificate: 'a client was refused because of its certificate',
}

/** Longer names and reasons are cut. */
const MAX_TEXT_LENGTH = 100

/**
 * Warns of refused logins, calls and certificates, with the address of the client. Clients choose how many there are, so
 * the number of lines is bounded; the rest is counted.
 */
export class SecurityLog {
  readonly #logger: Logger
  readonly #clock: Pick<Clock, 'monotonic'>
  #windowMs = 0
  #lines = 0
  #leftOut = 0

  constructor(logger: Logger, clock: Pick<Clock, 'monotonic'>) {
    this.#logger = logger
    this.#clock = clock
  }

  readonly report = ({ kind, ...fields }: SecurityEvent): void => {
    const nowMs = this.#clock.monotonic()
    if (nowMs - this.#windowMs >= SECURITY_WINDOW_MS) this.#begin(nowMs)
    if (this.#lines >= MAX_SECURITY_LINES) {
      this.#leftOut++
      return
    }
    this.#lines++
    const cut = Object.entries(fields).map(([name, value]) => [name, value?.slice(0, MAX_TEXT_LENGTH)])
    this.#logger.warn(MESSAGES[kind], Object.fromEntries(cut))
  }

  #begin(nowMs: number): void {
    if (this.#leftOut > 0)
      this.#logger.warn('refusals were not logged, because there were many', { count: this.#leftOut })
    this.#windowMs = nowMs
    this.#lines = 0
    this.#leftOut = 0
  }
}
