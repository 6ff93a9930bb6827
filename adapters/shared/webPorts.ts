/**
 * Ports that any runtime with web standards can provide.
 * @module
 */
import type { Clock } from '../../src/base/ports/host.ts'
import type { Random } from '../../src/base/ports/random.ts'
import type { Timers } from '../../src/base/ports/timers.ts'

export const webClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

export const webRandom: Random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }

export const webTimers: Timers = {
  schedule(delayMs, callback) {
    const id = setTimeout(callback, delayMs)
    // Timer ids are numbers in pages and Workers, and objects on Node, where they would keep the process alive.
    ;(id as { unref?: () => void }).unref?.()
    return { cancel: () => clearTimeout(id) }
  },
}

/** Timers that keep the process running, for requests that a program waits for. */
export const webWaitTimers: Timers = {
  schedule(delayMs, callback) {
    const id = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(id) }
  },
}
