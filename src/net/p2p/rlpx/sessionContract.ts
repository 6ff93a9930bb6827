import type { TcpConnection } from '../../../base/ports/tcpSockets.ts'
import type { NodeError } from '../../../base/primitives/errors.ts'
import type { AgreedCapability, OfferedCapability } from './capabilities.ts'
import type { DisconnectReason } from './disconnect.ts'
import type { HandshakeHost } from './handshakePackets.ts'
import type { Hello } from './hello.ts'
import type { KeepAliveHost } from './keepAlive.ts'

export type SessionHost = HandshakeHost & KeepAliveHost

/** This node, as its Hello describes it. */
export interface LocalPeer {
  readonly clientId: string
  /** TCP port on which this node listens; 0: none. */
  readonly port: number
  readonly capabilities: readonly OfferedCapability[]
}

export interface SessionEnd {
  readonly reason: DisconnectReason
  /** The side that ended the session; `connection`: it was lost. */
  readonly by: 'local' | 'remote' | 'connection'
  /** The fault that ended it, if any. */
  readonly error?: NodeError
}

/** None may throw. */
export interface SessionHandlers {
  /** The Hello messages have been exchanged and at least one capability is agreed. */
  onOpen(hello: Hello, capabilities: readonly AgreedCapability[]): void
  /**
   * @param code relative to the capability
   * @param payload after decompression; owned by the receiver
   */
  onMessage(capability: AgreedCapability, code: number, payload: Uint8Array): void
  /**
   * Longest payload of the next message; a longer one is refused before it is decompressed. Default: the most that RLPx
   * allows.
   * @param code relative to the capability
   */
  maxBytes?(capability: AgreedCapability, code: number): number
  /** Whether the next message may be read now. Otherwise the receiver has paused the session, and resumes it later. */
  mayRead?(): boolean
  /**
   * Received bytes were read in this time: a message was decrypted and handled, or a part of one decrypted. The message may
   * have ended the session. The receiver may pause it.
   */
  onWork?(workMs: number): void
  /** More can be sent. Follows a `send` that returned false. */
  onDrain?(): void
  /**
   * The session has ended by a message, a fault or a time-out: nothing more is received. The connection still closes.
   * May be called from within `disconnect` and `send`.
   */
  onEnd?(end: SessionEnd): void
  /** Called once, last: the connection is closed. */
  onClose(end: SessionEnd): void
}

export interface SessionOptions {
  readonly connection: TcpConnection
  /** Node id of the peer that this node has dialled; undefined: the peer has dialled. */
  readonly remoteId?: Uint8Array
  readonly local: LocalPeer
  readonly handlers: SessionHandlers
}
