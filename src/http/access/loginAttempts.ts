import { LOGIN_WINDOW_MS, MAX_LOGIN_ATTEMPTS, MAX_LOGIN_CLIENTS } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'

interface Attempts {
  count: number
  readonly startMs: number
}

/** Counts the failed logins of each client within a window of time. */
export class LoginAttempts {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #clients = new LruCache<string, Attempts>(MAX_LOGIN_CLIENTS)

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /**
   * Counts an attempt in advance, so that simultaneous ones count too; {@link succeeded} takes it back.
   * @returns 0 when it is allowed; otherwise, milliseconds until the next attempt
   */
  begin(client: string): number {
    const now = this.#clock.monotonic()
    const attempts = this.#clients.get(client)
    if (attempts === undefined || now - attempts.startMs >= LOGIN_WINDOW_MS) {
      this.#clients.set(client, { count: 1, startMs: now })
      return 0
    }
    if (attempts.count >= MAX_LOGIN_ATTEMPTS) return attempts.startMs + LOGIN_WINDOW_MS - now
    attempts.count++
    return 0
  }

  succeeded(client: string): void {
    const attempts = this.#clients.get(client)
    if (attempts !== undefined && attempts.count > 0) attempts.count--
  }
}
