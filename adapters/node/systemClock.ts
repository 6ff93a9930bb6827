import type { Clock } from '../../src/ports/host.ts'
import type { YieldToHost } from '../../src/ports/yieldToHost.ts'

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** By `setImmediate`: sockets that are ready are served first, and it costs some microseconds. */
export const yieldToHost: YieldToHost = () => new Promise((resolve) => setImmediate(resolve))
