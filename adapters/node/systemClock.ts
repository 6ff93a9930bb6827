import type { Clock } from '../../src/ports/host.ts'

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** Resolved when what waits in the event loop has had its turn. */
export function immediateTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
