/**
 * Parts of the node that the agreement of IBFT 2.0 and QBFT uses.
 * @module
 */

import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { Addresses } from '../../consensus/bft/addresses.ts'
import type { BftVote } from '../../consensus/bft/extraData.ts'
import type { BftFlavour } from '../../consensus/bft/flavour.ts'

export type BftProtocol = BftFlavour['name']

/** A message on its way. */
export interface BftPacket {
  readonly protocol: BftProtocol
  /** Relative to the protocol's first code. */
  readonly code: number
  readonly payload: Uint8Array
}

export interface PacketRecipients {
  /** Peers with these addresses, as far as they are connected; 20 bytes each. */
  readonly validators: Addresses
  /** Addresses to leave out. */
  readonly except: Addresses
  /** The peer from which the message came, which does not get it back. */
  readonly exceptPeer: string | undefined
}

/** Connections to other validators. */
export interface BftNetwork {
  /** Does not wait, and reports nothing: messages may be lost. */
  send(packet: BftPacket, recipients: PacketRecipients): void
  /** @param receive the peer is identified by any text that is unique among connections */
  open(receive: (packet: BftPacket, peer: string) => void): void
  /** The peer has at least the block of this number. */
  sawHeight(peer: string, height: number): void
  close(): void
}

/** For a node without peers. */
export const NO_BFT_NETWORK: BftNetwork = { send() {}, open() {}, sawHeight() {}, close() {} }

/** Validators and proposers of a chain. */
export interface BftValidators {
  /**
   * Validators of the block on top of another, ascending.
   * @throws {NodeError} VALIDATORS_UNKNOWN
   */
  after(block: ChainHeader): MaybePromise<Addresses>
  /** The account that created a block, 20 bytes. */
  proposerOf(block: ChainHeader): Uint8Array
}

/** Votes that the operator has proposed. */
export interface BftVotes {
  /** The vote of this node in the block on top of another. */
  next(parent: ChainHeader): BftVote | undefined
}
