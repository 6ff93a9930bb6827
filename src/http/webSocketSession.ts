/**
 * One WebSocket connection, whatever runtime it came in by: messages in, answers and notifications out, a bound on what
 * waits to be sent.
 * @see rpc-envelope.md section 11
 * @module
 */

/** What an adapter supplies for a connection. */
export interface SocketPort {
  /** Sends one text frame. */
  send(text: string): void
  /** Bytes that were sent and have not left the process yet. */
  bufferedAmount(): number
  /** Ends the connection with a close frame. */
  close(code: number, reason: string): void
  /** Ends the connection at once: the peer does not read. */
  terminate(): void
}
