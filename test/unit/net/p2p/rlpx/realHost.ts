import { nodeFrameCiphers } from '../../../../../adapters/server/crypto/frameCiphers.ts'
import type { FrameCiphers } from '../../../../../src/base/ports/frameCipher.ts'
import type { SessionHost } from '../../../../../src/net/p2p/rlpx/sessionContract.ts'
import { hostOf } from './handshakes.ts'

/** A host in real time. Its key and its random numbers depend on the seed. */
export function realHost(seed: number, ciphers: FrameCiphers = nodeFrameCiphers): SessionHost {
  return {
    ...hostOf(seed, ciphers),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    timers: {
      schedule: (delayMs, callback) => {
        const timer = setTimeout(callback, delayMs)
        return { cancel: () => clearTimeout(timer) }
      },
    },
  }
}

/** Polls a condition for at most 30 s. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('the condition did not hold within 30 s')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
