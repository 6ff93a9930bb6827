/**
 * Messages of QBFT. A proposal signs its whole block; a round change signs round and hash of the prepared block, and
 * carries the prepares outside the signed payload.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { rlpEncode } from '../../../base/primitives/rlp.ts'
import { EMPTY_LIST, WireReader } from '../../../types/wireReader.ts'
import {
  type BlockDecoder,
  encodeCommit,
  encodeSigned,
  encodeVote,
  list,
  type MessageCodec,
  readCommit,
  readSigned,
  readVote,
} from './codec.ts'
import { Envelope, signedOf } from './envelope.ts'
import { MINIMAL_INTEGERS as INTEGERS, MESSAGE } from './fields.ts'
import type {
  BftBlock,
  Message,
  MessageKind,
  Payload,
  PreparedClaim,
  PreparePayload,
  Proposal,
  ProposalPayload,
  RoundChange,
  RoundChangePayload,
  Signed,
} from './payloads.ts'

const CODES: Readonly<Record<MessageKind, number>> = { proposal: 0x12, prepare: 0x13, commit: 0x14, roundChange: 0x15 }
const HASH_BYTES = 32

/** keccak256(RLP([code, payload])) */
function hashPayload(kind: MessageKind, encoded: Uint8Array): Uint8Array {
  return keccak256(list(rlpEncode(Uint8Array.of(CODES[kind])), encoded))
}

export const QBFT_CODEC: MessageCodec = {
  protocol: 'qbft',
  codeCount: 22,
  codes: CODES,
  signingHash: (payload, block) => hashPayload(payload.kind, encodePayload(payload, block)),
  encode,
  open: (kind, bytes) => new Envelope(kind, bytes, INTEGERS, hashPayload),
  decode,
}

function encodePayload(payload: Payload, block: BftBlock | undefined): Uint8Array {
  switch (payload.kind) {
    case 'proposal':
      return encodeProposal(payload, block)
    case 'prepare':
      return encodeVote(payload, INTEGERS)
    case 'commit':
      return encodeCommit(payload, INTEGERS)
    case 'roundChange':
      return encodeRoundChange(payload)
  }
}

/** [height, round, block] */
function encodeProposal({ height, round }: ProposalPayload, block: BftBlock | undefined): Uint8Array {
  if (block === undefined) throw new TypeError('block: a proposal needs it')
  return list(rlpEncode(INTEGERS.height(height)), rlpEncode(INTEGERS.round(round)), block.encoded)
}

/** [height, target round, [] or [prepared round, prepared digest]] */
function encodeRoundChange({ height, round, prepared }: RoundChangePayload): Uint8Array {
  const claim = prepared === undefined ? [] : [INTEGERS.round(prepared.round), prepared.digest]
  return rlpEncode([INTEGERS.height(height), INTEGERS.round(round), claim])
}

function signedItem(signed: Signed<Payload>, block?: BftBlock): Uint8Array {
  return encodeSigned(encodePayload(signed.payload, block), signed)
}

function signedList(signed: readonly Signed<Payload>[]): Uint8Array {
  return list(...signed.map((one) => signedItem(one)))
}

function encode(message: Message): Uint8Array {
  switch (message.kind) {
    case 'prepare':
    case 'commit':
      return signedItem(message.signed)
    case 'proposal': {
      const certificate = list(signedList(message.roundChanges), signedList(message.prepares))
      return list(signedItem(message.signed, message.block), certificate)
    }
    case 'roundChange':
      return list(signedItem(message.signed), message.block?.encoded ?? EMPTY_LIST, signedList(message.prepares))
  }
}

function decode(envelope: Envelope, blocks: BlockDecoder, maxAuthors: number): Message {
  const { kind } = envelope
  switch (kind) {
    case 'prepare':
      return { kind, signed: signedOf(envelope, readPrepare(envelope.payload)) }
    case 'commit':
      return { kind, signed: signedOf(envelope, readCommit(envelope.payload, INTEGERS)) }
    case 'proposal':
      return decodeProposal(envelope, blocks, maxAuthors)
    case 'roundChange':
      return decodeRoundChange(envelope, blocks, maxAuthors)
  }
}

function readPrepare(payload: Uint8Array): PreparePayload {
  return readVote('prepare', payload, INTEGERS)
}

function readPrepares(fields: WireReader, maxAuthors: number): Signed<PreparePayload>[] {
  const read = (items: WireReader): Signed<PreparePayload> =>
    readSigned(items.item('prepare'), readPrepare, hashPayload)
  return fields.listOf('prepares', read, maxAuthors)
}

/** [signed proposal, [[signed round change…], [signed prepare…]]] */
function decodeProposal(envelope: Envelope, blocks: BlockDecoder, maxAuthors: number): Proposal {
  const { attachments, payload } = envelope
  const block = readBlock(payload, blocks)
  const { height, round } = envelope
  const signed = signedOf<ProposalPayload>(envelope, { kind: 'proposal', height, round, digest: block.digest })
  const certificate = attachments.list('certificate')
  attachments.end()
  const read = (items: WireReader): Signed<RoundChangePayload> =>
    readSigned(items.item('round change'), readRoundChange, hashPayload)
  const roundChanges = certificate.listOf('round changes', read, maxAuthors)
  const prepares = readPrepares(certificate, maxAuthors)
  certificate.end()
  return { kind: 'proposal', signed, block, roundChanges, prepares }
}

/** The block in the payload of a proposal. */
function readBlock(payload: Uint8Array, blocks: BlockDecoder): BftBlock {
  const fields = new WireReader(payload, MESSAGE)
  INTEGERS.readHeight(fields)
  INTEGERS.readRound(fields)
  const block = blocks.decode(fields.item('block'))
  fields.end()
  return block
}

/** [signed round change, [] or block, [signed prepare…]] */
function decodeRoundChange(envelope: Envelope, blocks: BlockDecoder, maxAuthors: number): RoundChange {
  const { attachments, payload } = envelope
  const signed = signedOf(envelope, readRoundChange(payload))
  const encoded = attachments.item('block')
  const prepares = readPrepares(attachments, maxAuthors)
  attachments.end()
  const block = equalBytes(encoded, EMPTY_LIST) ? undefined : blocks.decode(encoded)
  return { kind: 'roundChange', signed, block, prepares }
}

function readRoundChange(payload: Uint8Array): RoundChangePayload {
  const fields = new WireReader(payload, MESSAGE)
  const height = INTEGERS.readHeight(fields)
  const round = INTEGERS.readRound(fields)
  const prepared = readPrepared(fields.list('prepared'))
  fields.end()
  return { kind: 'roundChange', height, round, prepared }
}

function readPrepared(fields: WireReader): PreparedClaim | undefined {
  if (fields.isAtEnd) return undefined
  const round = INTEGERS.readRound(fields, 'prepared round')
  const digest = fields.fixed('prepared digest', HASH_BYTES)
  fields.end()
  return { round, digest, certificate: undefined }
}
