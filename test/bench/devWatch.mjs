/**
 * Keeps a scenario from stalling: a target without progress for 5 s is asked to mine a block, and is given up when that
 * does not help. Stalled time does not count.
 */
import { RpcConnection } from './rpcConnection.mjs'

const STILL_MS = 5_000
const MAX_NUDGES = 3
const CHECK_MS = 100

export class Watch {
  #port
  #limitMs
  #timer
  #begin = performance.now()
  #last = this.#begin
  #stalledMs = 0
  #end
  #gaveUp = new AbortController()
  /** Number of evm_mine calls. */
  nudges = 0

  /** @param limitMs measured time after which `over` is true */
  constructor({ port }, limitMs) {
    this.#port = port
    this.#limitMs = limitMs
    this.#timer = setInterval(() => this.#check(), CHECK_MS)
  }

  /** Reports progress. */
  progress() {
    this.#last = performance.now()
  }

  /** Whether no new work should be started. */
  get over() {
    return this.gaveUp || this.elapsedMs > this.#limitMs
  }

  /** Whether the target stalls permanently. */
  get gaveUp() {
    return this.#gaveUp.signal.aborted
  }

  /** @param {() => void} listener called when the target is given up */
  onGiveUp(listener) {
    this.#gaveUp.signal.addEventListener('abort', listener)
  }

  /** Milliseconds from the start until now or stop(), without stalled time. */
  get elapsedMs() {
    return (this.#end ?? performance.now()) - this.#begin - this.#stalledMs
  }

  stop() {
    this.#end = performance.now()
    clearInterval(this.#timer)
  }

  #check() {
    const now = performance.now()
    if (now - this.#last < STILL_MS) return
    this.#stalledMs += now - this.#last
    this.#last = now
    if (this.nudges === MAX_NUDGES) this.#gaveUp.abort()
    else {
      this.nudges++
      void this.#mine()
    }
  }

  /** Uses a separate connection, because the others may be waiting for answers. */
  async #mine() {
    const rpc = new RpcConnection(this.#port)
    this.onGiveUp(() => rpc.close())
    try {
      await rpc.connect()
      await rpc.call('evm_mine')
    } catch {
      // The next check evaluates the outcome.
    } finally {
      rpc.close()
    }
  }
}
