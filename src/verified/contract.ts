/**
 * A provider whose answers are proven: what programs see of it.
 * @module
 */
import type { Clock, Logger } from '../base/ports/host.ts'
import type { Random } from '../base/ports/random.ts'
import type { Eip1193Provider, RemoteTransport } from '../base/ports/remoteTransport.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { WasmModule } from '../base/ports/webTypes.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import type { ForkSource } from '../fork/contract.ts'
import type { RequestFunction } from '../rpc/providerContract.ts'

/** Where the newest block that counts comes from. */
export type Trust =
  /** One block by its hash: the newest that can be read. Of a chain with proof of stake, the caller finds it elsewhere. */
  | { readonly hash: string }
  /**
   * A block by its hash, from which the chain is followed by the seals of IBFT 2.0, QBFT or Clique. `genesis` is the block of
   * the genesis file.
   */
  | { readonly checkpoint: string }
  /** The newest block on which this number of remotes agree. */
  | { readonly heads: readonly string[]; readonly agree: number }

export interface VerifiedOptions {
  /** One or more addresses: `http:`, `https:`, `ws:`, `wss:`. The others are second choices. */
  readonly url?: string | readonly string[]
  /** Instead of `url`: a wallet or a client. */
  readonly provider?: Eip1193Provider
  /** The genesis file, as an object or as text. */
  readonly genesis?: string | object
  /** Instead of `genesis`: a named network, such as `sepolia`. */
  readonly network?: string
  readonly trust: Trust
  /**
   * Methods that are passed on although nothing proves their answers: `none` (the default), `all`, or a list of names.
   * {@link VerifiedProvider.ask} marks them.
   */
  readonly methods?: 'none' | 'all' | readonly string[]
}

/** An answer, and whether it is proven. */
export interface MarkedAnswer {
  readonly result: unknown
  readonly isProven: boolean
}

export interface TrustedHead {
  readonly number: number
  /** 32 bytes in hex */
  readonly hash: string
}

export interface VerifiedProvider {
  /**
   * @throws {RequestError} as a node does it
   * @throws {NodeError} PROOF_INVALID, HEAD_UNTRUSTED, FORK_UNPROVEN when the remote's answer is wrong or proves nothing;
   *   FORK_UNAVAILABLE and others when it does not answer
   */
  readonly request: RequestFunction
  /** The same, with the mark. */
  ask(method: string, params?: readonly unknown[]): Promise<MarkedAnswer>
  /** The newest block that is trusted. */
  head(): Promise<TrustedHead>
  close(): Promise<void>
}

/** Services of the host. */
export interface VerifiedHost {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly logger: Logger
  readonly yieldToHost: YieldToHost
  /** The native EVM; undefined: it is compiled on first use. */
  readonly evmModule?: WasmModule
  openTransport(url: string): RemoteTransport
  /** Where proven data are kept. Default: memory. */
  readonly source?: ForkSource
}
