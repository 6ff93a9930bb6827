import type { ConnectionPeer } from '../rpc/requestContext.ts'

/** The connection functions that an adapter supplies. None of them throws, in any state of the connection. */
export interface SocketPort {
  /** undefined on hosts that do not know it */
  readonly peer?: ConnectionPeer | undefined
  /** Sends one text frame. */
  send(text: string): void
  /**
   * Sends a part of a text message, UTF-8. Absent when messages can only be sent whole.
   * @param sent called when the bytes have left the process, or never will
   */
  sendFragment?(bytes: Uint8Array, isLast: boolean, sent: () => void): void
  /** Bytes that were sent and are still buffered here. */
  bufferedAmount(): number
  /** Stops reading; messages that were already read may still arrive. */
  pause(): void
  resume(): void
  /** Ends the connection with a close frame. */
  close(code: number, reason: string): void
  /** Terminates the connection without a close frame: the peer does not read. */
  terminate(): void
}
