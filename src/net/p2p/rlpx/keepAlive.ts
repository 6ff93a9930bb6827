import { RLPX_PING_INTERVAL_MS, RLPX_PONG_TIMEOUT_MS } from '../../../base/limits/limits.ts'
import type { Clock } from '../../../base/ports/host.ts'
import type { Timer, Timers } from '../../../base/ports/timers.ts'

export interface KeepAliveHost {
  readonly clock: Clock
  readonly timers: Timers
}

export interface KeepAliveActions {
  /** Whether bytes from the peer are being read; otherwise its silence means nothing. */
  isReading(): boolean
  /** Whether the peer does not read what is sent to it. */
  isStalled(): boolean
  ping(): void
  /** The peer has not sent anything since the ping, or is stalled. */
  timeOut(): void
}

/** Pings a silent peer after 5 s, and gives it up after 10 s more. Traffic costs no timer. */
export class KeepAlive {
  readonly #host: KeepAliveHost
  readonly #actions: KeepAliveActions
  #lastTraffic: number
  #isPinged = false
  #timer: Timer

  constructor(host: KeepAliveHost, actions: KeepAliveActions) {
    this.#host = host
    this.#actions = actions
    this.#lastTraffic = host.clock.monotonic()
    this.#timer = this.#schedule(RLPX_PING_INTERVAL_MS)
  }

  /** The peer has sent something. */
  noteTraffic(): void {
    this.#lastTraffic = this.#host.clock.monotonic()
    this.#isPinged = false
  }

  stop(): void {
    this.#timer.cancel()
  }

  #schedule(delayMs: number): Timer {
    return this.#host.timers.schedule(Math.ceil(delayMs), () => this.#check())
  }

  #check(): void {
    if (this.#actions.isStalled()) {
      this.#actions.timeOut()
      return
    }
    if (!this.#actions.isReading()) this.noteTraffic()
    const silentMs = this.#host.clock.monotonic() - this.#lastTraffic
    if (silentMs < RLPX_PING_INTERVAL_MS) {
      this.#timer = this.#schedule(RLPX_PING_INTERVAL_MS - silentMs)
      return
    }
    if (this.#isPinged) {
      this.#actions.timeOut()
      return
    }
    this.#isPinged = true
    this.#timer = this.#schedule(RLPX_PONG_TIMEOUT_MS)
    this.#actions.ping()
  }
}
