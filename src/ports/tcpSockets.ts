import type { NodeError } from '../primitives/errors.ts'

export interface SocketAddress {
  /** IPv4 or IPv6 address; a name too where a connection is opened. */
  readonly host: string
  readonly port: number
}

/** Called by the event loop, never from within a call of the connection. None may throw. */
export interface TcpHandlers {
  /** @param bytes the receiver's to keep */
  onData(bytes: Uint8Array): void
  /** Everything that was written has been handed to the operating system. Follows a `write` that returned false. */
  onDrain?(): void
  /** The peer sends no more. The connection can still be written to; end it when there is nothing left to say. */
  onEnd?(): void
  /** Called once, last. @param error undefined after an orderly end; its `code` is CONNECTION_FAILED */
  onClose(error: NodeError | undefined): void
}

export interface TcpConnection {
  readonly remoteAddress: SocketAddress
  readonly localAddress: SocketAddress
  /** Starts delivery: until then nothing is read. To be called once. */
  open(handlers: TcpHandlers): void
  /**
   * Queues bytes, which must not be changed later. After {@link end} or {@link destroy} they are dropped. A connection
   * on which more than MAX_SOCKET_BACKLOG_BYTES wait is destroyed.
   * @returns false when the writer should wait for `onDrain`
   */
  write(bytes: Uint8Array): boolean
  /** Bytes that wait to be sent. */
  readonly backlog: number
  /** Stops reading; the peer is held back by TCP. Data that were received before may still be delivered. */
  pause(): void
  resume(): void
  /** Sends what is queued, then tells the peer that no more will come. */
  end(): void
  /** Drops what is queued and closes at once. */
  destroy(): void
}

export interface TcpListener {
  /** With the port that was chosen for port 0. */
  readonly address: SocketAddress
  /** Accepts no more connections; open ones stay. */
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
   * @param onConnection gets each new connection and opens or destroys it
   * @throws {NodeError} LISTEN_FAILED with the reason, such as an address in use
   */
  listen(address: SocketAddress, onConnection: (connection: TcpConnection) => void): Promise<TcpListener>
}
