/** A verified provider in front of a transport. */
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { RemoteTransport } from '../../../src/base/ports/remoteTransport.ts'
import type { VerifiedHost, VerifiedOptions, VerifiedProvider } from '../../../src/verified/contract.ts'
import { openVerifiedProvider } from '../../../src/verified/verifiedProvider.ts'
import { testRandom, testTimers } from '../host/testPorts.ts'
import { testYield } from '../host/testYield.ts'

export function verifiedHost(
  transports: RemoteTransport | ((url: string) => RemoteTransport),
  change: Partial<VerifiedHost> = {},
): VerifiedHost {
  return {
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    timers: testTimers,
    random: testRandom,
    logger: silentLogger,
    yieldToHost: testYield,
    openTransport: typeof transports === 'function' ? transports : () => transports,
    ...change,
  }
}

export function openVerified(
  transports: RemoteTransport | ((url: string) => RemoteTransport),
  options: VerifiedOptions,
  change: Partial<VerifiedHost> = {},
): Promise<VerifiedProvider> {
  const address = options.provider === undefined ? { url: 'http://remote.test' } : {}
  return openVerifiedProvider({ ...address, ...options }, verifiedHost(transports, change))
}
