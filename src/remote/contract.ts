/**
 * The client of other nodes.
 * @module
 */
import type { AbortSignal } from '../base/ports/webTypes.ts'

export interface RemoteRequest {
  readonly method: string
  readonly params: readonly unknown[]
}

/**
 * The answer to one request of several: the remote may refuse some of them.
 * @property origin the address that answered
 */
export type RemoteResult =
  | { readonly kind: 'result'; readonly value: unknown; readonly origin?: string }
  | { readonly kind: 'error'; readonly error: RemoteError; readonly origin?: string }

/** The answer of one address, or the reason why there is none. */
export type SourceAnswer =
  | (RemoteResult & { readonly origin: string })
  | { readonly kind: 'failed'; readonly origin: string; readonly error: Error }

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
  /** Requests over HTTP, or messages. */
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

/** Requests that wait for a limit of rate. */
export interface RemoteWait {
  readonly origin: string
  /** Requests of JSON-RPC that were not sent yet. */
  readonly requests: number
  /** Time until the next one is sent, milliseconds. */
  readonly nextMs: number
  /** Time for which requests have waited, since the start. */
  readonly waitedMs: number
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
  /**
   * Asks each address that is in use, whatever the others answer: for a quorum, and to compare them.
   * @returns in the order of the addresses
   */
  askAll(method: string, params: readonly unknown[], options?: RemoteOptions): Promise<SourceAnswer[]>
  /**
   * Uses an address no longer; one line of the log says why. Its requests go to the others.
   * @param origin as in the status
   */
  drop(origin: string, reason: string): void
  /** Whether the remote has something; undefined while unknown. */
  can(capability: Capability): boolean | undefined
  /** Records what a use has shown. */
  learn(capability: Capability, has: boolean): void
  readonly status: RemoteStatus
  close(): void
}
