/**
 * A Byzantine validator with its real key: in later rounds it proposes another block than the prepared one, without any
 * reason, and votes for it.
 * @module
 */

import type { Signer } from '../../../src/base/ports/signer.ts'
import { encodeSeal } from '../../../src/consensus/bft/hashes.ts'
import type { BftPacket } from '../../../src/consensus/bft/messages/packets.ts'
import { signPayload } from '../../../src/consensus/bft/messages/signing.ts'
import type { ChainBlock } from '../../../src/sealing/bft/chainBlocks.ts'
import { decodePayload, kindOf, PROTOCOLS, packetOf } from '../../../src/sealing/bft/protocols.ts'

export class ProposalForger {
  readonly #signer: Signer

  constructor(signer: Signer) {
    this.#signer = signer
  }

  hear(): void {}

  /** @returns what one validator gets instead of an honest packet */
  instead(packet: BftPacket): readonly BftPacket[] {
    const protocol = PROTOCOLS[packet.protocol]
    const kind = kindOf(packet.code, protocol)
    const message = kind && decodePayload(kind, packet.payload, protocol)
    if (message?.kind !== 'proposal' || message.signed.payload.round === 0) return [packet]
    const { codec, blocks } = protocol
    const { height, round } = message.signed.payload
    const { block: prepared } = message.block as ChainBlock
    const header = {
      ...prepared.header,
      beneficiary: this.#signer.address,
      timestamp: prepared.header.timestamp + 1n,
    }
    const block = blocks.withRound(blocks.of({ ...prepared, header }), round)
    const { digest } = block
    const seal = encodeSeal(this.#signer.sign(digest))
    const proposal = signPayload(codec, this.#signer, { kind: 'proposal', height, round, digest } as const, block)
    const prepare = signPayload(codec, this.#signer, { kind: 'prepare', height, round, digest } as const)
    const commit = signPayload(codec, this.#signer, { kind: 'commit', height, round, digest, seal } as const)
    return [
      packetOf({ kind: 'proposal', signed: proposal, block, roundChanges: [], prepares: [] }, protocol),
      packetOf({ kind: 'prepare', signed: prepare }, protocol),
      packetOf({ kind: 'commit', signed: commit }, protocol),
    ]
  }
}
