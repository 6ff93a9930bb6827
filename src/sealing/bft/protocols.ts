/**
 * Everything that belongs to one of the two protocols.
 * @module
 */

import type { Signer } from '../../base/ports/signer.ts'
import { type BftFlavour, IBFT2, QBFT } from '../../consensus/bft/flavour.ts'
import { encodeSeal, recoverSigner } from '../../consensus/bft/hashes.ts'
import type { AgreementContext, ProtocolRules } from '../../consensus/bft/machine/contract.ts'
import { IBFT2_RULES } from '../../consensus/bft/machine/ibft2Rules.ts'
import { QBFT_RULES } from '../../consensus/bft/machine/qbftRules.ts'
import type { MessageCodec } from '../../consensus/bft/messages/codec.ts'
import { IBFT2_CODEC } from '../../consensus/bft/messages/ibft2Codec.ts'
import type { BftPacket, BftProtocol } from '../../consensus/bft/messages/packets.ts'
import type { Message, MessageKind } from '../../consensus/bft/messages/payloads.ts'
import { QBFT_CODEC } from '../../consensus/bft/messages/qbftCodec.ts'
import { signPayload } from '../../consensus/bft/messages/signing.ts'
import { ChainBlocks } from './chainBlocks.ts'

export interface Protocol {
  readonly flavour: BftFlavour
  readonly codec: MessageCodec
  readonly rules: ProtocolRules
  readonly blocks: ChainBlocks
}

export const PROTOCOLS: Readonly<Record<BftProtocol, Protocol>> = {
  ibft2: { flavour: IBFT2, codec: IBFT2_CODEC, rules: IBFT2_RULES, blocks: new ChainBlocks(IBFT2) },
  qbft: { flavour: QBFT, codec: QBFT_CODEC, rules: QBFT_RULES, blocks: new ChainBlocks(QBFT) },
}

const KINDS: readonly MessageKind[] = ['proposal', 'prepare', 'commit', 'roundChange']

/** Signs with the key of this node. */
export function agreementContext({ codec, blocks }: Protocol, signer: Signer): AgreementContext {
  return {
    local: signer.address,
    sign: (payload, block) => signPayload(codec, signer, payload, block),
    seal: (digest) => encodeSeal(signer.sign(digest)),
    sealAuthor: recoverSigner,
    withRound: (block, round) => blocks.withRound(block, round),
  }
}

export function packetOf(message: Message, { codec }: Protocol): BftPacket {
  return { protocol: codec.protocol, code: codec.codes[message.kind], payload: codec.encode(message) }
}

/** @returns undefined for a reserved code without a message */
export function kindOf(code: number, { codec: { codes } }: Protocol): MessageKind | undefined {
  for (const kind of KINDS) if (codes[kind] === code) return kind
  return undefined
}

/**
 * Decodes a message that needs no authentication, such as one of this node's records.
 * @throws {NodeError} INVALID_BFT_MESSAGE, or the code of a malformed block
 */
export function decodePayload(kind: MessageKind, payload: Uint8Array, { codec, blocks }: Protocol): Message {
  return codec.decode(codec.open(kind, payload), blocks, Number.POSITIVE_INFINITY)
}
