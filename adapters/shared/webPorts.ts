/**
 * Ports that every runtime with web standards can fill.
 * @module
 */
import type { Clock } from '../../src/ports/host.ts'
import type { Random } from '../../src/ports/random.ts'
import type { Timers } from '../../src/ports/timers.ts'

export const webClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

export const webRandom: Random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }

export const webTimers: Timers = {
  schedule(delayMs, callback) {
    const id = setTimeout(callback, delayMs)
    // A number in pages and Workers; an object on Node, where it would keep the process running.
    ;(id as { unref?: () => void }).unref?.()
    return { cancel: () => clearTimeout(id) }
  },
}
