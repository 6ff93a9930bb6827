/**
 * Clock, timers and random numbers of Node, Deno and Bun.
 * @module
 */

import { randomFillSync } from 'node:crypto'
import { clearTimeout, setImmediate, setTimeout } from 'node:timers'
import type { Clock } from '../../src/base/ports/host.ts'
import type { Random } from '../../src/base/ports/random.ts'
import type { Timer, Timers } from '../../src/base/ports/timers.ts'
import type { YieldToHost } from '../../src/base/ports/yieldToHost.ts'

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** Uses `setImmediate`, which serves ready sockets first and costs some microseconds. */
export const yieldToHost: YieldToHost = () => new Promise((resolve) => setImmediate(resolve))

export const systemRandom: Random = { bytes: (length) => randomFillSync(new Uint8Array(length)) }

class SystemTimer implements Timer {
  readonly #timeout: NodeJS.Timeout

  constructor(delayMs: number, callback: () => void) {
    this.#timeout = setTimeout(callback, delayMs)
    this.#timeout.unref()
  }

  cancel(): void {
    clearTimeout(this.#timeout)
  }
}

export const systemTimers: Timers = { schedule: (delayMs, callback) => new SystemTimer(delayMs, callback) }
