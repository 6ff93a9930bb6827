import type { SocketAddress } from './tcpSockets.ts'

export interface UdpSocket {
  /** With the actual port when port 0 was requested. */
  readonly address: SocketAddress
  /** Sends a datagram without guaranteed delivery; errors are ignored like lost packets. */
  send(bytes: Uint8Array, to: SocketAddress): void
  close(): Promise<void>
}

/** Datagrams between hosts. An open socket keeps the process running. */
export interface UdpSockets {
  /**
   * @param onMessage receives each datagram and owns its bytes; must not throw
   * @throws {NodeError} LISTEN_FAILED with the reason, such as an address in use
   */
  bind(address: SocketAddress, onMessage: (bytes: Uint8Array, from: SocketAddress) => void): Promise<UdpSocket>
}
