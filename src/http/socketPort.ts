/** What an adapter supplies for a connection. Nothing here throws, whatever state the connection is in. */
export interface SocketPort {
  /** Sends one text frame. */
  send(text: string): void
  /**
   * Sends a part of a text message, UTF-8. Absent where messages can only be sent as a whole.
   * @param sent called when the bytes have left the process, or never will
   */
  sendFragment?(bytes: Uint8Array, isLast: boolean, sent: () => void): void
  /** Bytes that were sent and have not left the process yet. */
  bufferedAmount(): number
  /** Stops reading; messages that have been read already may still come. */
  pause(): void
  resume(): void
  /** Ends the connection with a close frame. */
  close(code: number, reason: string): void
  /** Ends the connection at once: the peer does not read. */
  terminate(): void
}
