/**
 * Messages of IBFT 2.0. A proposal signs the digest of its block; a round change signs its prepared certificate.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */
import { concatBytes, EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { type DecodedItem, rlpEncode } from '../../../base/primitives/rlp.ts'
import { decodeItem, FieldReader } from '../../../types/fieldReader.ts'
import {
  type BlockDecoder,
  encodeCommit,
  encodeSigned,
  encodeVote,
  FIXED_INTEGERS as INTEGERS,
  list,
  MESSAGE,
  type MessageCodec,
  type ReadPayload,
  readAll,
  readCommit,
  readSigned,
  readVote,
} from './codec.ts'
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

function decode(kind: MessageKind, bytes: Uint8Array, blocks: BlockDecoder): Message {
  const item = decodeItem(MESSAGE, bytes)
  switch (kind) {
    case 'prepare':
      return { kind, signed: readSigned(item, readPrepare) }
    case 'commit':
      return { kind, signed: readSigned(item, (payload) => readCommit(payload, INTEGERS, hashPayload)) }
    case 'proposal':
      return decodeProposal(item, blocks)
    case 'roundChange':
      return decodeRoundChange(item, blocks)
  }
}

function readPrepare(item: DecodedItem): ReadPayload<PreparePayload> {
  return readVote('prepare', item, INTEGERS, hashPayload)
}

function readProposal(item: DecodedItem): ReadPayload<ProposalPayload> {
  return readVote('proposal', item, INTEGERS, hashPayload)
}

/** [signed proposal, block, null or [[signed round change…]]] */
function decodeProposal(item: DecodedItem, blocks: BlockDecoder): Proposal {
  const fields = new FieldReader(item, MESSAGE)
  const signed = readSigned(fields.item('proposal'), readProposal)
  const block = blocks.decode(rlpEncode(fields.list('block')))
  const certificate = fields.item('round change certificate')
  fields.end()
  return { kind: 'proposal', signed, block, roundChanges: readCertificate(certificate), prepares: [] }
}

function readCertificate(item: DecodedItem): Signed<RoundChangePayload>[] {
  if (item.length === 0 && item instanceof Uint8Array) return []
  const fields = new FieldReader(item, MESSAGE)
  const roundChanges = readAll(fields.item('round changes'), 'round changes', (signed) =>
    readSigned(signed, readRoundChange),
  )
  fields.end()
  if (roundChanges.length === 0) throw fields.invalid('the round change certificate is empty')
  return roundChanges
}

/** [signed round change, null or block] */
function decodeRoundChange(item: DecodedItem, blocks: BlockDecoder): RoundChange {
  const fields = new FieldReader(item, MESSAGE)
  const signed = readSigned(fields.item('round change'), readRoundChange)
  const last = fields.item('block')
  fields.end()
  if (last instanceof Uint8Array && last.length > 0) throw fields.invalid('block is not a list')
  const block: BftBlock | undefined = last instanceof Uint8Array ? undefined : blocks.decode(rlpEncode(last))
  return { kind: 'roundChange', signed, block, prepares: [] }
}

function readRoundChange(item: DecodedItem): ReadPayload<RoundChangePayload> {
  const fields = new FieldReader(item, MESSAGE)
  const height = INTEGERS.readHeight(fields)
  const round = INTEGERS.readRound(fields)
  const prepared = readPrepared(fields.item('prepared certificate'))
  fields.end()
  return {
    payload: { kind: 'roundChange', height, round, prepared },
    hash: hashPayload('roundChange', rlpEncode(item)),
  }
}

function readPrepared(item: DecodedItem): PreparedClaim | undefined {
  if (item.length === 0 && item instanceof Uint8Array) return undefined
  const fields = new FieldReader(item, MESSAGE)
  const proposal = readSigned(fields.item('proposal'), readProposal)
  const prepares = readAll(fields.item('prepares'), 'prepares', (signed) => readSigned(signed, readPrepare))
  fields.end()
  const { round, digest } = proposal.payload
  return { round, digest, certificate: { proposal, prepares } }
}
