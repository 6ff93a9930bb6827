/**
 * Messages of QBFT. A proposal signs its whole block; a round change signs round and hash of the prepared block, and
 * carries the prepares outside the signed payload.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { type DecodedItem, rlpEncode } from '../../../base/primitives/rlp.ts'
import { decodeItem, FieldReader } from '../../../types/fieldReader.ts'
import {
  type BlockDecoder,
  encodeCommit,
  encodeSigned,
  encodeVote,
  MINIMAL_INTEGERS as INTEGERS,
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

const CODES: Readonly<Record<MessageKind, number>> = { proposal: 0x12, prepare: 0x13, commit: 0x14, roundChange: 0x15 }
const HASH_BYTES = 32
const EMPTY_LIST = rlpEncode([])

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

function readPrepares(item: DecodedItem): Signed<PreparePayload>[] {
  return readAll(item, 'prepares', (signed) => readSigned(signed, readPrepare))
}

/** [signed proposal, [[signed round change…], [signed prepare…]]] */
function decodeProposal(item: DecodedItem, blocks: BlockDecoder): Proposal {
  const fields = new FieldReader(item, MESSAGE)
  let block: BftBlock | undefined
  const signed = readSigned(fields.item('proposal'), (payload) => {
    const proposal = readProposal(payload, blocks)
    block = proposal.block
    return proposal
  })
  const certificate = fields.nested('certificate')
  fields.end()
  const roundChanges = readAll(certificate.item('round changes'), 'round changes', (one) =>
    readSigned(one, readRoundChange),
  )
  const prepares = readPrepares(certificate.item('prepares'))
  certificate.end()
  return { kind: 'proposal', signed, block: block as BftBlock, roundChanges, prepares }
}

function readProposal(
  item: DecodedItem,
  blocks: BlockDecoder,
): ReadPayload<ProposalPayload> & { readonly block: BftBlock } {
  const fields = new FieldReader(item, MESSAGE)
  const height = INTEGERS.readHeight(fields)
  const round = INTEGERS.readRound(fields)
  const block = blocks.decode(rlpEncode(fields.list('block')))
  fields.end()
  const payload: ProposalPayload = { kind: 'proposal', height, round, digest: block.digest }
  return { payload, block, hash: hashPayload('proposal', rlpEncode(item)) }
}

/** [signed round change, [] or block, [signed prepare…]] */
function decodeRoundChange(item: DecodedItem, blocks: BlockDecoder): RoundChange {
  const fields = new FieldReader(item, MESSAGE)
  const signed = readSigned(fields.item('round change'), readRoundChange)
  const encoded = fields.list('block')
  const prepares = readPrepares(fields.item('prepares'))
  fields.end()
  const block = encoded.length === 0 ? undefined : blocks.decode(rlpEncode(encoded))
  return { kind: 'roundChange', signed, block, prepares }
}

function readRoundChange(item: DecodedItem): ReadPayload<RoundChangePayload> {
  const fields = new FieldReader(item, MESSAGE)
  const height = INTEGERS.readHeight(fields)
  const round = INTEGERS.readRound(fields)
  const prepared = readPrepared(fields.nested('prepared'))
  fields.end()
  return {
    payload: { kind: 'roundChange', height, round, prepared },
    hash: hashPayload('roundChange', rlpEncode(item)),
  }
}

function readPrepared(fields: FieldReader): PreparedClaim | undefined {
  if (fields.count === 0) return undefined
  const round = INTEGERS.readRound(fields, 'prepared round')
  const digest = fields.fixed('prepared digest', HASH_BYTES)
  fields.end()
  return { round, digest, certificate: undefined }
}
