import type { Clock } from '../../base/ports/host.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Timers } from '../../base/ports/timers.ts'
import type { ChainReader } from '../../chain/contract.ts'
import type { BlockHasher } from '../../chain/engine.ts'
import type { PeerConnection } from '../p2p/peers/contract.ts'
import type { DisconnectReason } from '../p2p/rlpx/disconnect.ts'
import type { SessionEnd } from '../p2p/rlpx/sessionContract.ts'
import type { BftWire } from '../protocols/bftWire.ts'
import type { EthServer } from '../protocols/eth/ethServer.ts'
import type { HandshakeChain } from '../protocols/eth/handshake.ts'
import type { SnapServer } from '../protocols/snap/snapServer.ts'
import type { EthGossip, EthPeer } from './contract.ts'
import type { RequiredHeader } from './requiredHeaders.ts'
import type { ServingQueue } from './servingQueue.ts'

/** A connection after the Status of the peer was accepted. */
export interface PeerSession extends EthPeer {
  readonly connection: PeerConnection
  /** Unique among all connections of this run. */
  readonly id: string
  /** Hash of the newest block that the peer has named; undefined while it is unknown. */
  readonly headHash: Uint8Array | undefined
}

export interface Departure {
  /** Whether the peer had joined before. */
  readonly wasJoined: boolean
  readonly reason: DisconnectReason
  readonly by: SessionEnd['by']
  readonly details: string | undefined
}

/** Notified by sessions. */
export interface SessionListener {
  /** The Status of the peer was accepted. */
  onAdmitted(session: PeerSession): void
  /** The head of the peer is known. */
  onJoined(session: PeerSession): void
  onHead(session: PeerSession): void
  onGossip(session: PeerSession, message: EthGossip): void
  /** Called once, last. */
  onLeft(session: PeerSession, departure: Departure): void
}

/** Parts that all sessions share. */
export interface EthSessionDeps {
  readonly handshake: HandshakeChain & {
    readonly chain: Pick<ChainReader, 'headerByHash'> & { readonly consensus: BlockHasher }
  }
  readonly eth: Pick<EthServer, 'answer'>
  readonly snap: Pick<SnapServer, 'answer'>
  readonly bft: Pick<BftWire, 'receive'> | undefined
  readonly required: readonly RequiredHeader[]
  readonly serving: ServingQueue
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly listener: SessionListener
}
