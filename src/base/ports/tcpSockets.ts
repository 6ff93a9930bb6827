import type { NodeError } from '../primitives/errors.ts'
import type { AbortSignal } from './webTypes.ts'

export interface SocketAddress {
  /** IPv4 or IPv6 address; also a host name when opening a connection. */
  readonly host: string
  readonly port: number
}

/** Called by the event loop, never from within a call of the connection. None may throw. */
export interface TcpHandlers {
  /** @param bytes owned by the receiver */
  onData(bytes: Uint8Array): void
  /** All written bytes have been passed to the operating system. Follows a `write` that returned false. */
  onDrain?(): void
  /** The peer has finished sending. The connection remains writable; end it when nothing is left to send. */
  onEnd?(): void
  /** Called once, last. @param error undefined after an orderly end; otherwise its `code` is CONNECTION_FAILED */
  onClose(error: NodeError | undefined): void
}

export interface TcpConnection {
  readonly remoteAddress: SocketAddress
  readonly localAddress: SocketAddress
  /** Starts delivery: nothing is read before. To be called once. */
  open(handlers: TcpHandlers): void
  /**
   * Queues bytes, which must not be changed later. After {@link end} or {@link destroy} they are dropped. A connection
   * with more than MAX_SOCKET_BACKLOG_BYTES queued is destroyed.
   * @returns false when the writer should wait for `onDrain`
   */
  write(bytes: Uint8Array): boolean
  /** Unsent bytes. */
  readonly backlog: number
  /**
   * Stops reading, so that TCP flow control slows down the peer. Data that were already received may still be
   * delivered.
   */
  pause(): void
  resume(): void
  /** Sends queued bytes, then signals the end to the peer. */
  end(): void
  /** Drops queued bytes and closes immediately. */
  destroy(): void
}

export interface TcpListener {
  /** With the actual port when port 0 was requested. */
  readonly address: SocketAddress
  /** Stops accepting connections; open ones remain. */
  close(): Promise<void>
}

export interface ConnectOptions {
  /** Default: the operating system's. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** Byte streams between hosts. A listener or an open connection keeps the process running. */
export interface TcpSockets {
  /** @throws {NodeError} CONNECTION_FAILED with the reason */
  connect(address: SocketAddress, options?: ConnectOptions): Promise<TcpConnection>
  /**
   * @param onConnection receives each new connection and opens or destroys it
   * @throws {NodeError} LISTEN_FAILED with the reason, such as an address in use
   */
  listen(address: SocketAddress, onConnection: (connection: TcpConnection) => void): Promise<TcpListener>
}
