/**
 * Peers of the eth protocol as synchronisation and gossip see them.
 * @see docs/reference/p2p.md sections 4 to 9
 * @module
 */
import type { Emitter } from '../../base/primitives/events.ts'
import type { PeerConnection } from '../p2p/peers/contract.ts'
import type {
  BlockRangeUpdate,
  EthRequest,
  EthResponse,
  NewBlock,
  NewBlockHashes,
  NewPooledTransactionHashes,
  Transactions,
} from '../protocols/eth/messages.ts'
import type { ETH_RESPONSES, EthVersion } from '../protocols/eth/versions.ts'
import type { PeerKnowledge } from '../protocols/peerKnowledge.ts'

/** Messages that are neither requests nor responses. */
export type EthGossip = NewBlockHashes | NewBlock | Transactions | NewPooledTransactionHashes | BlockRangeUpdate

export type ResponseTo<K extends EthRequest['kind']> = Extract<
  EthResponse,
  { readonly kind: (typeof ETH_RESPONSES)[K] }
>

/** A request without its id, which the peer assigns. */
export type Question<K extends EthRequest['kind'] = EthRequest['kind']> = K extends EthRequest['kind']
  ? Omit<Extract<EthRequest, { readonly kind: K }>, 'requestId'>
  : never

export type Reply<K extends EthRequest['kind']> =
  | { readonly kind: 'answer'; readonly response: ResponseTo<K> }
  /** No answer within PEER_REQUEST_TIMEOUT_MS. */
  | { readonly kind: 'timeout' }
  /** The connection has ended. */
  | { readonly kind: 'closed' }
  /** MAX_OUTSTANDING_REQUESTS wait for their answers: nothing was sent. */
  | { readonly kind: 'busy' }

/** The best block of a peer, as far as this node knows. */
export interface PeerHead {
  /** 32 bytes; undefined when only the number is known */
  readonly hash: Uint8Array | undefined
  readonly number: bigint
  /** undefined: the peer does not announce it (eth/69) */
  readonly totalDifficulty: bigint | undefined
  /** Whether the total difficulty is that of an earlier head, because the peer announced this head without one. */
  readonly isDifficultyOlder?: boolean
}

/** A connected peer that has exchanged its Status and whose head is known. */
export interface EthPeer {
  readonly connection: Pick<PeerConnection, 'key' | 'id' | 'hello' | 'isInbound' | 'isMaintained' | 'remoteAddress'>
  readonly version: EthVersion
  /** Blocks and transactions that the peer has, kept by gossip in both directions. */
  readonly knowledge: PeerKnowledge
  readonly head: PeerHead
  /** Hash of the head that the Status of this node named, 32 bytes. */
  readonly toldHead: Uint8Array
  /** Raises the head; a lower one is ignored. */
  sawHead(head: PeerHead): void
  /** Whether another request may be sent. */
  readonly hasCapacity: boolean
  /** Unsent bytes: announcements are left out above MAX_PEER_GOSSIP_BACKLOG_BYTES. */
  readonly backlog: number
  readonly isOpen: boolean
  /** Asks the peer. Reports time-outs to the peer's reputation; the caller reports whether the answer was useful. */
  ask<K extends EthRequest['kind']>(question: Question<K>): Promise<Reply<K>>
  /** Sends gossip; does not wait. */
  send(message: EthGossip): void
  /** Counts computing that the peer has caused, beyond the handling of a message. */
  charge(workMs: number): void
  /** @param request kind of the request that was answered; default: that of the newest answer */
  report(conduct: 'useful' | 'useless', request?: EthRequest['kind']): void
  disconnect(
    reason: 'breachOfProtocol' | 'uselessPeer' | 'subprotocol' | 'requested' | 'tooManyPeers',
    details: string,
  ): void
}

export interface EthPeerEvents {
  joined: EthPeer
  left: EthPeer
  /** Malformed gossip ends the connection and is not emitted. */
  gossip: { readonly peer: EthPeer; readonly message: EthGossip }
  /** A peer's head is higher than before. */
  head: EthPeer
}

/** All peers of the eth protocol. */
export interface EthPeers {
  /** In the order of their admission. */
  readonly all: readonly EthPeer[]
  readonly events: Emitter<EthPeerEvents>
}
