/** Real timers and random numbers, for tests without virtual time. */
import { webRandom, webTimers } from '../../../adapters/shared/webPorts.ts'
import type { Random } from '../../../src/base/ports/random.ts'
import type { Timers } from '../../../src/base/ports/timers.ts'

/** Uses the global functions, so that vitest's fake timers control them. */
export const testTimers: Timers = webTimers
export const testRandom: Random = webRandom
