/**
 * The client of other nodes.
 * @module
 */
import type { AbortSignal } from '../base/ports/webTypes.ts'

export interface RemoteRequest {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The answer to one request of several: the remote may refuse some of them. */
export type RemoteResult =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: RemoteError }

/** An error object of JSON-RPC, as the remote sent it. */
export interface RemoteError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A method or a form of parameters that not every remote has; found by use. */
export type Capability =
  | 'batches'
  | 'proofs'
  | 'stateByHash'
  | 'accessLists'
  | 'prestateTraces'
  | 'blockReceipts'
  | 'callWitness'

/** For isonode_forkStatus. */
export interface RemoteStatus {
  /** Origins of the addresses that are in use, the first choice first. */
  readonly origins: readonly string[]
  /** HTTP requests or messages. */
  readonly requests: number
  /** JSON-RPC requests in them. */
  readonly calls: number
  readonly retries: number
  /** Time in which requests waited for a limit of rate, milliseconds. */
  readonly waitedMs: number
  readonly bytesSent: number
  readonly bytesReceived: number
  /** true, false; absent while unknown */
  readonly capabilities: Readonly<Partial<Record<Capability, boolean>>>
}

export interface RemoteOptions {
  readonly signal?: AbortSignal
}

export interface RemoteClient {
  /**
   * Requests of the same turn of the event loop are joined into batches; equal ones in flight share an answer.
   * @throws {NodeError} FORK_UNAVAILABLE, FORK_RATE_LIMITED; REMOTE_REFUSED with the remote's error
   */
  request(method: string, params: readonly unknown[], options?: RemoteOptions): Promise<unknown>
  /**
   * In one batch, where the remote has batches; in the order of the requests.
   * @throws {NodeError} FORK_UNAVAILABLE, FORK_RATE_LIMITED
   */
  requestAll(requests: readonly RemoteRequest[], options?: RemoteOptions): Promise<RemoteResult[]>
  /** Whether the remote has something; undefined while unknown. */
  can(capability: Capability): boolean | undefined
  /** Records what a use has shown. */
  learn(capability: Capability, has: boolean): void
  readonly status: RemoteStatus
  close(): void
}
