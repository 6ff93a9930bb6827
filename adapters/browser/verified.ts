/**
 * A provider whose answers are proven, on every runtime with web standards: `isonode/verified`.
 * @module
 */
import { silentLogger } from '../../src/base/ports/logging.ts'
import type { VerifiedOptions, VerifiedProvider } from '../../src/verified/contract.ts'
import { openVerifiedProvider } from '../../src/verified/verifiedProvider.ts'
import { openRemoteTransport } from '../shared/remoteTransport.ts'
import { webClock, webRandom, webWaitTimers } from '../shared/webPorts.ts'
import { createHostYield } from './hostYield.ts'

export { NodeError } from '../../src/base/primitives/errors.ts'
export type { RequestArguments, RequestError, RequestFunction } from '../../src/rpc/providerContract.ts'
export type {
  MarkedAnswer,
  Trust,
  TrustedHead,
  VerifiedOptions,
  VerifiedProvider,
} from '../../src/verified/contract.ts'

export interface VerifiedProviderOptions extends VerifiedOptions {
  /** Sent with each request; their values are kept secret. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Turns an address that nobody has to trust into an EIP-1193 provider: each answer is proven from a trusted block, or refused.
 * Nothing is asked before the first request.
 * @throws {NodeError} INVALID_OPTION, INVALID_GENESIS
 * @example
 * const provider = await createVerifiedProvider({
 *   url: 'https://rpc.example',
 *   network: 'sepolia',
 *   trust: { hash: '0x…' },
 * })
 * const balance = await provider.request('eth_getBalance', ['0x…', 'latest'])
 */
export function createVerifiedProvider(options: VerifiedProviderOptions): Promise<VerifiedProvider> {
  const { headers = {} } = options
  return openVerifiedProvider(options, {
    clock: webClock,
    timers: webWaitTimers,
    random: webRandom,
    logger: silentLogger,
    yieldToHost: createHostYield(),
    openTransport: (url) => openRemoteTransport(url, { headers }),
  })
}
