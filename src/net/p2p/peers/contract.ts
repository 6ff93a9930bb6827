/**
 * Connections to peers as the protocols see them. The peers layer opens, accepts, limits and ends connections; it does not
 * know what the protocols say on them.
 * @see docs/reference/p2p.md section 5
 * @module
 */
import type { SocketAddress } from '../../../base/ports/tcpSockets.ts'
import type { AgreedCapability, OfferedCapability } from '../rlpx/capabilities.ts'
import type { DisconnectReason } from '../rlpx/disconnect.ts'
import type { Hello } from '../rlpx/hello.ts'
import type { SessionEnd } from '../rlpx/sessionContract.ts'

/** Behaviour of a peer that counts for or against it. */
export type PeerConduct =
  /** A useful answer. */
  | 'useful'
  /** A useless answer: empty, or wrong without breaking the protocol. */
  | 'useless'
  /** No answer in time. */
  | 'timeout'

/** A connection after the Hello messages. */
export interface PeerConnection {
  /** Node id as 128 hexadecimal digits: unique among connections, except for a moment when two cross. */
  readonly key: string
  /** 64 bytes */
  readonly id: Uint8Array
  readonly hello: Hello
  readonly capabilities: readonly AgreedCapability[]
  readonly isInbound: boolean
  /** Static or added by the operator: exempt from limits, never on the list of misbehaving peers. May change. */
  readonly isMaintained: boolean
  readonly localAddress: SocketAddress
  readonly remoteAddress: SocketAddress
  /** Unsent bytes. */
  readonly backlog: number
  /** @returns false when the sender should wait for `onDrain` */
  send(capability: AgreedCapability, code: number, payload: Uint8Array): boolean
  /**
   * Reports that the protocols have agreed (Status). The limit of inbound peers applies from here on.
   * @returns false when the connection has been refused instead, and is closing
   */
  admit(): boolean
  /**
   * Counts time-outs and useless answers; too many of them end the connection.
   * @param request kind of the request: time-outs are counted by kind, until a useful answer
   */
  report(conduct: PeerConduct, request?: string): void
  /** Ends the connection: nothing is sent or received any more. @param details for the log */
  disconnect(reason: DisconnectReason, details?: string): void
  /** Counts computing that the peer has caused, beyond the handling of a message. */
  charge(workMs: number): void
  /** Stops reading, so that the peer is slowed down by TCP. */
  pause(): void
  resume(): void
}

/** Handles the messages of one connection. None may throw. */
export interface ConnectionHandlers {
  /**
   * Longest payload of the next message; a longer one is refused before it is decompressed.
   * @param code relative to the capability
   */
  maxBytes(capability: AgreedCapability, code: number): number
  /** @param code relative to the capability; @param payload owned by the receiver */
  onMessage(capability: AgreedCapability, code: number, payload: Uint8Array): void
  /** More can be sent. Follows a `send` that returned false. */
  onDrain(): void
  /** Called once, last, in a later turn of the event loop. */
  onClose(end: SessionEnd): void
}

/** The protocols of this node over RLPx. */
export interface PeerProtocols {
  readonly offered: readonly OfferedCapability[]
  /** A connection was established. Messages follow after this call. */
  open(connection: PeerConnection): ConnectionHandlers
}
