/**
 * How JSON-RPC requests reach another node. The host supplies the transport; src/remote decides what is sent and
 * when.
 * @module
 */
import type { AbortSignal } from './webTypes.ts'

/** The answer of a remote as it arrived. */
export interface TransportAnswer {
  /** HTTP status; 200 for an answer over a WebSocket. */
  readonly status: number
  /** From `Retry-After`, milliseconds. */
  readonly retryAfterMs?: number | undefined
  readonly text: string
}

export interface SendOptions {
  readonly signal: AbortSignal
  /** A longer answer fails. */
  readonly maxBytes: number
  /** Called with the length of each part of the answer. An error that it throws ends the attempt. */
  readonly onBytes?: (bytes: number) => void
}

/** A connection to one address, for JSON-RPC texts. */
export interface RemoteTransport {
  /** Scheme, host and port for messages: without path, query and credentials, which may hold keys. */
  readonly origin: string
  /** Removes the secrets of the address from a text of the remote. */
  redacted?(text: string): string
  /**
   * Sends one request or one batch.
   * @param body JSON text
   * @throws {NodeError} FORK_UNAVAILABLE when the connection fails or the answer is too long; its message does not name
   *   the address
   */
  send(body: string, options: SendOptions): Promise<TransportAnswer>
  close(): void
}

/** A wallet or a client as of EIP-1193. */
export interface Eip1193Provider {
  request(input: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}
