/**
 * Messages of IBFT 2.0. A proposal signs the digest of its block; a round change signs its prepared certificate.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */
import { concatBytes, EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { rlpEncode } from '../../../base/primitives/rlp.ts'
import { WireReader } from '../../../types/wireReader.ts'
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
import { FIXED_INTEGERS as INTEGERS, MESSAGE } from './fields.ts'
import type {
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

const CODES: Readonly<Record<MessageKind, number>> = { proposal: 0, prepare: 1, commit: 2, roundChange: 3 }
const NULL = rlpEncode(EMPTY_BYTES)

/** keccak256(code ‖ payload) */
function hashPayload(kind: MessageKind, encoded: Uint8Array): Uint8Array {
  return keccak256(concatBytes(Uint8Array.of(CODES[kind]), encoded))
}

export const IBFT2_CODEC: MessageCodec = {
  protocol: 'ibft2',
  codeCount: 4,
  codes: CODES,
  signingHash: (payload) => hashPayload(payload.kind, encodePayload(payload)),
  encode,
  open: (kind, bytes) => new Envelope(kind, bytes, INTEGERS, hashPayload),
  decode,
}

function encodePayload(payload: Payload): Uint8Array {
  switch (payload.kind) {
    case 'proposal':
    case 'prepare':
      return encodeVote(payload, INTEGERS)
    case 'commit':
      return encodeCommit(payload, INTEGERS)
    case 'roundChange':
      return encodeRoundChange(payload)
  }
}

function signedItem(signed: Signed<Payload>): Uint8Array {
  return encodeSigned(encodePayload(signed.payload), signed)
}

/** [height, target round, null or [signed proposal, [signed prepare…]]] */
function encodeRoundChange({ height, round, prepared }: RoundChangePayload): Uint8Array {
  const certificate = prepared?.certificate
  const last =
    certificate === undefined
      ? NULL
      : list(signedItem(certificate.proposal), list(...certificate.prepares.map(signedItem)))
  return list(rlpEncode(INTEGERS.height(height)), rlpEncode(INTEGERS.round(round)), last)
}

function encode(message: Message): Uint8Array {
  const signed = signedItem(message.signed)
  switch (message.kind) {
    case 'prepare':
    case 'commit':
      return signed
    case 'proposal':
      return list(signed, message.block.encoded, encodeCertificate(message.roundChanges))
    case 'roundChange':
      return list(signed, message.block?.encoded ?? NULL)
  }
}

function encodeCertificate(roundChanges: readonly Signed<RoundChangePayload>[]): Uint8Array {
  return roundChanges.length === 0 ? NULL : list(list(...roundChanges.map(signedItem)))
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

function readProposal(payload: Uint8Array): ProposalPayload {
  return readVote('proposal', payload, INTEGERS)
}

/** [signed proposal, block, null or [[signed round change…]]] */
function decodeProposal(envelope: Envelope, blocks: BlockDecoder, maxAuthors: number): Proposal {
  const { attachments, payload } = envelope
  const signed = signedOf(envelope, readProposal(payload))
  const block = blocks.decode(attachments.item('block'))
  const roundChanges = readCertificate(attachments, maxAuthors)
  attachments.end()
  return { kind: 'proposal', signed, block, roundChanges, prepares: [] }
}

function readCertificate(attachments: WireReader, maxAuthors: number): Signed<RoundChangePayload>[] {
  if (!attachments.nextIsList) {
    if (attachments.bytes('round change certificate').length > 0)
      throw attachments.invalid('the certificate is not a list')
    return []
  }
  const certificate = attachments.list('round change certificate')
  const read = (items: WireReader): Signed<RoundChangePayload> =>
    readSigned(items.item('round change'), (payload) => readRoundChange(payload, maxAuthors), hashPayload)
  const roundChanges = certificate.listOf('round changes', read, maxAuthors)
  certificate.end()
  if (roundChanges.length === 0) throw certificate.invalid('the round change certificate is empty')
  return roundChanges
}

/** [signed round change, null or block] */
function decodeRoundChange(envelope: Envelope, blocks: BlockDecoder, maxAuthors: number): RoundChange {
  const { attachments, payload } = envelope
  const signed = signedOf(envelope, readRoundChange(payload, maxAuthors))
  const block = attachments.nextIsList ? blocks.decode(attachments.item('block')) : undefined
  if (block === undefined && attachments.bytes('block').length > 0) throw attachments.invalid('block is not a list')
  attachments.end()
  return { kind: 'roundChange', signed, block, prepares: [] }
}

function readRoundChange(payload: Uint8Array, maxAuthors: number): RoundChangePayload {
  const fields = new WireReader(payload, MESSAGE)
  const height = INTEGERS.readHeight(fields)
  const round = INTEGERS.readRound(fields)
  const prepared = readPrepared(fields, maxAuthors)
  fields.end()
  return { kind: 'roundChange', height, round, prepared }
}

/** null or [signed proposal, [signed prepare…]] */
function readPrepared(fields: WireReader, maxAuthors: number): PreparedClaim | undefined {
  if (!fields.nextIsList) {
    if (fields.bytes('prepared certificate').length > 0) throw fields.invalid('the prepared certificate is not a list')
    return undefined
  }
  const certificate = fields.list('prepared certificate')
  const proposal = readSigned(certificate.item('proposal'), readProposal, hashPayload)
  const prepares = certificate.listOf(
    'prepares',
    (items) => readSigned(items.item('prepare'), readPrepare, hashPayload),
    maxAuthors,
  )
  certificate.end()
  const { round, digest } = proposal.payload
  return { round, digest, certificate: { proposal, prepares } }
}
