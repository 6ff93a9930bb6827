import type { SocketAddress } from './tcpSockets.ts'

export interface UdpSocket {
  /** With the port that was chosen for port 0. */
  readonly address: SocketAddress
  /** Sends a datagram, without any promise that it arrives; errors are dropped like lost packets. */
  send(bytes: Uint8Array, to: SocketAddress): void
  close(): Promise<void>
}

/** Datagrams between hosts. An open socket keeps the process running. */
export interface UdpSockets {
  /**
   * @param onMessage gets each datagram, whose bytes are its to keep; must not throw
   * @throws {NodeError} LISTEN_FAILED with the reason, such as an address in use
   */
  bind(address: SocketAddress, onMessage: (bytes: Uint8Array, from: SocketAddress) => void): Promise<UdpSocket>
}
