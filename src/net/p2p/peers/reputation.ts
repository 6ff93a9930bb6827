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
  #score: number = RULES.initial

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get score(): number {
    return this.#score
  }

  /** @returns the reason to disconnect, if a limit has been reached */
  report(conduct: PeerConduct, request: string): DisconnectReason | undefined {
    switch (conduct) {
      case 'useful':
        this.#timeouts.delete(request)
        this.#add(1)
        return undefined
      case 'timeout':
        return this.#timeout(request)
      case 'useless':
        return this.#uselessAnswer()
    }
  }

  #timeout(request: string): DisconnectReason | undefined {
    this.#add(-1)
    const count = (this.#timeouts.get(request) ?? 0) + 1
    if (this.#timeouts.size < MAX_KINDS || this.#timeouts.has(request)) this.#timeouts.set(request, count)
    if (count < RULES.maxTimeouts) return undefined
    this.#add(-RULES.penalty)
    return 'timeout'
  }

  #uselessAnswer(): DisconnectReason | undefined {
    this.#add(-1)
    const now = this.#clock.monotonic()
    this.#useless = [...this.#useless.filter((at) => now - at < RULES.uselessWindowMs), now]
    if (this.#useless.length < RULES.maxUseless) return undefined
    this.#add(-RULES.penalty)
    return 'uselessPeer'
  }

  #add(points: number): void {
    this.#score = Math.max(0, Math.min(RULES.max, this.#score + points))
  }
}
