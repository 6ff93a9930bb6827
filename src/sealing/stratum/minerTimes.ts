import { STRATUM_IDLE_MS, STRATUM_LOGIN_MS, STRATUM_MESSAGE_MS, STRATUM_SILENCE_MS } from '../../base/limits/limits.ts'
import type { StratumSession } from './stratumSession.ts'

/** Decides how long a connection of a miner may remain open. Single bytes do not extend any time. */
export class MinerTimes {
  readonly #session: StratumSession
  readonly #openedMs: number
  #requests = 0
  /** undefined: none has arrived completely. */
  #lastRequestMs: number | undefined
  /** undefined: no message is arriving. */
  #messageStartMs: number | undefined

  /** @param nowMs monotonic, as all times here */
  constructor(session: StratumSession, nowMs: number) {
    this.#session = session
    this.#openedMs = nowMs
  }

  /** The session has received bytes. */
  received(nowMs: number): void {
    const { requests, isInMessage } = this.#session
    const isComplete = requests > this.#requests
    if (isComplete) {
      this.#requests = requests
      this.#lastRequestMs = nowMs
    }
    if (!isInMessage) this.#messageStartMs = undefined
    else if (isComplete) this.#messageStartMs = nowMs
    else this.#messageStartMs ??= nowMs
  }

  isOver(nowMs: number): boolean {
    const last = this.#lastRequestMs
    const { isHttp, isListening, hasFoundBlock } = this.#session
    if (this.#messageStartMs !== undefined && nowMs - this.#messageStartMs >= STRATUM_MESSAGE_MS) return true
    if (last === undefined) return nowMs - this.#openedMs >= STRATUM_IDLE_MS
    if (isHttp) return nowMs - last >= STRATUM_IDLE_MS
    if (!isListening) return nowMs - this.#openedMs >= STRATUM_LOGIN_MS
    return !hasFoundBlock && nowMs - last >= STRATUM_SILENCE_MS
  }
}
