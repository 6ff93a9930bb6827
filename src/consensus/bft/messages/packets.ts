/**
 * Encoded messages of IBFT 2.0 and QBFT, and the connections that carry them.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */

import type { Addresses } from '../addresses.ts'
import type { BftFlavour } from '../flavour.ts'

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

export interface BftListener {
  /** @param peer any text that is unique among connections */
  receive(packet: BftPacket, peer: string): void
  /** A peer has connected, and takes messages. @param address 20 bytes */
  connected(address: Uint8Array): void
}

/** Connections to other validators. */
export interface BftNetwork {
  /** Does not wait, and reports nothing: messages may be lost. */
  send(packet: BftPacket, recipients: PacketRecipients): void
  open(listener: BftListener): void
  /** The peer has sent a malformed message: its connection ends. */
  refuse(peer: string, reason: string): void
  /** Reading a message of the peer took this time: a peer that causes too much work is read more slowly. */
  charge(peer: string, workMs: number): void
  /** The peer has at least the block of this number. */
  sawHeight(peer: string, height: number): void
  close(): void
}

/** For a node without peers. */
export const NO_BFT_NETWORK: BftNetwork = { send() {}, open() {}, refuse() {}, charge() {}, sawHeight() {}, close() {} }
