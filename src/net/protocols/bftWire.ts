/**
 * Consensus messages of IBFT 2.0 and QBFT on connections: selects the recipients of a packet, and passes on received
 * ones.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */
import { hasAddress } from '../../consensus/bft/addresses.ts'
import type { MessageCodec } from '../../consensus/bft/messages/codec.ts'
import { IBFT2_CODEC } from '../../consensus/bft/messages/ibft2Codec.ts'
import type {
  BftListener,
  BftNetwork,
  BftPacket,
  BftProtocol,
  PacketRecipients,
} from '../../consensus/bft/messages/packets.ts'
import { QBFT_CODEC } from '../../consensus/bft/messages/qbftCodec.ts'

export interface BftCapability {
  readonly name: 'IBF' | 'istanbul'
  readonly version: number
  /** Number of codes that the capability reserves. */
  readonly codeCount: number
  readonly protocol: BftProtocol
}

function capability(name: BftCapability['name'], version: number, codec: MessageCodec): BftCapability {
  return { name, version, codeCount: codec.codeCount, protocol: codec.protocol }
}

export const BFT_CAPABILITIES: Readonly<Record<BftProtocol, BftCapability>> = {
  ibft2: capability('IBF', 1, IBFT2_CODEC),
  qbft: capability('istanbul', 100, QBFT_CODEC),
}

const CODECS: Readonly<Record<BftProtocol, MessageCodec>> = { ibft2: IBFT2_CODEC, qbft: QBFT_CODEC }

const CODES: Readonly<Record<BftProtocol, ReadonlySet<number>>> = {
  ibft2: new Set(Object.values(CODECS.ibft2.codes)),
  qbft: new Set(Object.values(CODECS.qbft.codes)),
}

/** Whether messages of this code may have a block; the others are brief. */
export function hasBlock(protocol: BftProtocol | undefined, code: number): boolean {
  if (protocol === undefined) return false
  const { proposal, roundChange } = CODECS[protocol].codes
  return code === proposal || code === roundChange
}

/** A connection that has agreed on at least one of the two capabilities. */
export interface BftPeer {
  /** Unique among connections. */
  readonly id: string
  /** Address of the node key, 20 bytes: validators sign with it. */
  readonly address: Uint8Array
  readonly protocols: ReadonlySet<BftProtocol>
  /** Does not wait. The code is relative to the first of the capability. */
  send(packet: BftPacket): void
  /** The peer has at least the block of this number. */
  sawHeight(height: number): void
  /** Ends the connection, because the peer has sent a malformed message. */
  refuse(reason: string): void
  /** Adds to the work that the peer has caused. */
  charge(workMs: number): void
}

/** The connections to validators. */
export class BftWire implements BftNetwork {
  readonly #peers = new Map<string, BftPeer>()
  #listener: BftListener | undefined

  add(peer: BftPeer): void {
    this.#peers.set(peer.id, peer)
    this.#listener?.connected(peer.address)
  }

  remove(id: string): void {
    this.#peers.delete(id)
  }

  /**
   * Passes a received message on, undecoded: the agreement decodes it in its turn.
   * @returns false for a code without a message
   */
  receive(id: string, packet: BftPacket): boolean {
    if (!CODES[packet.protocol].has(packet.code)) return false
    if (this.#peers.has(id)) this.#listener?.receive(packet, id)
    return true
  }

  send(packet: BftPacket, { validators, except, exceptPeer }: PacketRecipients): void {
    for (const peer of this.#peers.values()) {
      if (peer.id === exceptPeer || !peer.protocols.has(packet.protocol)) continue
      if (hasAddress(validators, peer.address) && !hasAddress(except, peer.address)) peer.send(packet)
    }
  }

  open(listener: BftListener): void {
    this.#listener = listener
  }

  refuse(peer: string, reason: string): void {
    this.#peers.get(peer)?.refuse(reason)
  }

  charge(peer: string, workMs: number): void {
    this.#peers.get(peer)?.charge(workMs)
  }

  sawHeight(peer: string, height: number): void {
    this.#peers.get(peer)?.sawHeight(height)
  }

  /** Drops messages that are received from now on. The connections stay open: they belong to the peer network. */
  close(): void {
    this.#listener = undefined
  }
}
