import type { Clock } from '../../../base/ports/host.ts'
import type { DisconnectReason } from '../rlpx/disconnect.ts'
import type { PeerConduct } from './contract.ts'
import { REPUTATION_RULES as RULES } from './policy.ts'

/** Maximum number of request kinds that are tracked; no protocol has this many. */
const MAX_KINDS = 64

/** The behaviour of one peer during a connection. */
export class Reputation {
  readonly #clock: Clock
  /** Consecutive time-outs by kind of request. */
  readonly #timeouts = new Map<string, number>()
  /** Monotonic times of recent useless answers, oldest first. */
  #useless: number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns the reason to disconnect, if a limit has been reached */
  report(conduct: PeerConduct, request: string): DisconnectReason | undefined {
    switch (conduct) {
      case 'useful':
        this.#timeouts.delete(request)
        return undefined
      case 'timeout':
        return this.#timeout(request)
      case 'useless':
        return this.#uselessAnswer()
    }
  }

  #timeout(request: string): DisconnectReason | undefined {
    const count = (this.#timeouts.get(request) ?? 0) + 1
    if (this.#timeouts.size < MAX_KINDS || this.#timeouts.has(request)) this.#timeouts.set(request, count)
    return count < RULES.maxTimeouts ? undefined : 'timeout'
  }

  #uselessAnswer(): DisconnectReason | undefined {
    const now = this.#clock.monotonic()
    this.#useless = [...this.#useless.filter((at) => now - at < RULES.uselessWindowMs), now]
    return this.#useless.length < RULES.maxUseless ? undefined : 'uselessPeer'
  }
}
