/**
 * A Byzantine validator with its real key: it leaves out messages, votes for other blocks, claims blocks that were never
 * prepared, forges certificates, and repeats what it has heard. It cannot sign for others.
 * @module
 */

import type { Signer } from '../../../src/base/ports/signer.ts'
import { encodeSeal } from '../../../src/consensus/bft/hashes.ts'
import type { BftPacket } from '../../../src/consensus/bft/messages/packets.ts'
import type { BftBlock, Message, PreparePayload, Signed } from '../../../src/consensus/bft/messages/payloads.ts'
import { signPayload } from '../../../src/consensus/bft/messages/signing.ts'
import { decodePayload, kindOf, PROTOCOLS, type Protocol, packetOf } from '../../../src/sealing/bft/protocols.ts'
import type { SeededRandom } from '../seededRandom.ts'

const MAX_HEARD = 200
/** More than any quorum of the simulated networks. */
const REPEATED_VOTES = 5

type Kind<K extends Message['kind']> = Extract<Message, { readonly kind: K }>

export class Forger {
  readonly #signer: Signer
  readonly #random: SeededRandom
  /** Messages of others, and those of this validator. */
  readonly #heard: BftPacket[] = []
  readonly #blocks: BftBlock[] = []

  constructor(signer: Signer, random: SeededRandom) {
    this.#signer = signer
    this.#random = random
  }

  hear(packet: BftPacket): void {
    const message = this.#decode(packet)
    if (message === undefined) return
    this.#heard.push(packet)
    if (this.#heard.length > MAX_HEARD) this.#heard.shift()
    if (message.kind === 'proposal') this.#blocks.push(message.block)
    if (this.#blocks.length > MAX_HEARD) this.#blocks.shift()
  }

  /** @returns what one validator gets instead of an honest packet */
  instead(packet: BftPacket): readonly BftPacket[] {
    const chance = this.#random.below(100)
    if (chance < 15) return []
    if (chance < 50) return [packet]
    if (chance < 60) return [this.#any(), packet]
    const message = this.#decode(packet)
    const forged = message && this.#forged(message, PROTOCOLS[packet.protocol])
    if (forged === undefined) return [packet]
    const other = packetOf(forged, PROTOCOLS[packet.protocol])
    return this.#random.chance(0.5) ? [other, packet] : [other]
  }

  #any(): BftPacket {
    return this.#heard[this.#random.below(this.#heard.length)] as BftPacket
  }

  #decode({ code, payload, protocol }: BftPacket): Message | undefined {
    const kind = kindOf(code, PROTOCOLS[protocol])
    return kind && decodePayload(kind, payload, PROTOCOLS[protocol])
  }

  #forged(message: Message, protocol: Protocol): Message | undefined {
    switch (message.kind) {
      case 'prepare':
        return this.#random.chance(0.3) ? this.#usurp(message, protocol) : this.#vote(message, protocol)
      case 'commit':
        return this.#commit(message, protocol)
      case 'roundChange':
        return this.#claim(message, protocol)
      case 'proposal':
        return this.#proposal(message, protocol)
    }
  }

  #vote({ signed: { payload } }: Kind<'prepare'>, protocol: Protocol): Message {
    return { kind: 'prepare', signed: this.#sign({ ...payload, digest: this.#digest() }, protocol) }
  }

  /** A proposal in a round of another validator. */
  #usurp({ signed: { payload } }: Kind<'prepare'>, protocol: Protocol): Message {
    const { height, round } = payload
    const known = this.#blocks.find((block) => block.height === height)
    if (known === undefined) return this.#vote({ kind: 'prepare', signed: this.#sign(payload, protocol) }, protocol)
    const block = protocol.blocks.withRound(known, round)
    const signed = this.#sign({ kind: 'proposal', height, round, digest: block.digest } as const, protocol, block)
    return { kind: 'proposal', signed, block, roundChanges: [], prepares: [] }
  }

  /** The digest of a block of this height, or a random one. */
  #digest(): Uint8Array {
    const block = this.#blocks[this.#random.below(Math.max(1, this.#blocks.length))]
    return this.#random.chance(0.8) && block !== undefined
      ? block.digest
      : new Uint8Array(32).fill(this.#random.below(256))
  }

  /** Votes for another block, or seals another one than it votes for. */
  #commit({ signed: { payload } }: Kind<'commit'>, protocol: Protocol): Message {
    const digest = this.#digest()
    const seal = encodeSeal(this.#signer.sign(digest))
    const voted = this.#random.chance(0.5) ? digest : payload.digest
    return { kind: 'commit', signed: this.#sign({ ...payload, digest: voted, seal }, protocol) }
  }

  /** A round change that conceals a lock, or claims one without the votes of others. */
  #claim({ signed: { payload } }: Kind<'roundChange'>, protocol: Protocol): Message {
    const { height, round } = payload
    const known = this.#blocks.findLast((block) => block.height === height)
    if (known === undefined || this.#random.chance(0.4)) {
      const signed = this.#sign({ ...payload, prepared: undefined }, protocol)
      return { kind: 'roundChange', signed, block: undefined, prepares: [] }
    }
    const block = protocol.blocks.withRound(known, this.#random.below(round))
    const { round: prepared, digest } = block
    const vote: PreparePayload = { kind: 'prepare', height, round: prepared, digest }
    const prepares = this.#repeated(this.#sign(vote, protocol))
    const proposal = this.#sign({ kind: 'proposal', height, round: prepared, digest } as const, protocol, block)
    const isIbft = protocol.codec.protocol === 'ibft2'
    const claim = { round: prepared, digest, certificate: isIbft ? { proposal, prepares } : undefined }
    const signed = this.#sign({ ...payload, prepared: claim }, protocol)
    return { kind: 'roundChange', signed, block, prepares: isIbft ? [] : prepares }
  }

  /** Another block of the height, with a part of the reasons for the round, or with its own reason several times. */
  #proposal({ signed: { payload }, block: own, roundChanges }: Kind<'proposal'>, protocol: Protocol): Message {
    const { height, round } = payload
    const others = this.#blocks.filter((block) => block.height === height)
    const block = protocol.blocks.withRound(others[this.#random.below(Math.max(1, others.length))] ?? own, round)
    const signed = this.#sign({ ...payload, digest: block.digest }, protocol, block)
    const reason = this.#sign({ kind: 'roundChange', height, round, prepared: undefined } as const, protocol)
    const reasons = this.#random.chance(0.5) ? roundChanges.slice(1) : this.#repeated(reason)
    return { kind: 'proposal', signed, block, roundChanges: round === 0 ? [] : reasons, prepares: [] }
  }

  #repeated<P extends Signed<PreparePayload> | Kind<'roundChange'>['signed']>(vote: P): P[] {
    return Array.from({ length: REPEATED_VOTES }, () => vote)
  }

  #sign<P extends Message['signed']['payload']>(payload: P, { codec }: Protocol, block?: BftBlock): Signed<P> {
    return signPayload(codec, this.#signer, payload, block)
  }
}
