/**
 * The extra data of IBFT 2.0 and QBFT headers: vanity, validators, vote, round and commit seals.
 * @see docs/reference/consensus-ibft-qbft.md section 1
 * @module
 */
import { MAX_BFT_EXTRA_DATA_BYTES } from '../../base/limits/limits.ts'
import { bytesToNumber, equalBytes, numberToBytes, padLeft } from '../../base/primitives/bytes.ts'
import { type DecodedItem, type RlpItem, rlpEncode } from '../../base/primitives/rlp.ts'
import { decodeItem, type EncodedKind, encodingError, FieldReader } from '../../types/fieldReader.ts'
import { SEAL_BYTES, VANITY_BYTES } from '../signedHeader.ts'
import type { VoteIntent } from '../voteIntents.ts'
import type { BftFlavour } from './flavour.ts'

const EXTRA_DATA: EncodedKind = { code: 'INVALID_EXTRA_DATA', name: 'extra data' }
const ROUND_BYTES = 4

/** A vote to add or remove a validator. */
export type BftVote = VoteIntent

export interface BftExtraData {
  /** 32 bytes in blocks of this node; other lengths are accepted. */
  readonly vanity: Uint8Array
  /** 20 bytes each, in the order of the header. */
  readonly validators: readonly Uint8Array[]
  readonly vote: BftVote | undefined
  /** 32-bit unsigned. */
  readonly round: number
  /** 65 bytes each. */
  readonly seals: readonly Uint8Array[]
}

/**
 * Forms of the extra data: `full` is stored and sent, commit seals sign the header with form `commitSeal`, and the block
 * hash covers the header with form `blockHash`.
 */
export type ExtraDataForm = 'full' | 'commitSeal' | 'blockHash'

export function encodeExtraData(extra: BftExtraData, flavour: BftFlavour, form: ExtraDataForm = 'full'): Uint8Array {
  const { vanity, validators, vote, round, seals } = extra
  const items: RlpItem[] = [vanity, validators, encodeVote(vote, flavour)]
  if (flavour.excluded === 'emptied') {
    items.push(encodeRound(form === 'blockHash' ? 0 : round, flavour), form === 'full' ? seals : [])
  } else {
    if (form !== 'blockHash') items.push(encodeRound(round, flavour))
    if (form === 'full') items.push(seals)
  }
  return rlpEncode(items)
}

/**
 * Bounds the work for a header that is not verified yet.
 * @throws {NodeError} INVALID_EXTRA_DATA
 */
export function checkLength({ length }: Uint8Array): void {
  if (length > MAX_BFT_EXTRA_DATA_BYTES)
    throw encodingError(EXTRA_DATA, `${length} bytes, more than ${MAX_BFT_EXTRA_DATA_BYTES}`)
}

/**
 * Accepts exactly one encoding of each value.
 * @throws {NodeError} INVALID_EXTRA_DATA
 */
export function decodeExtraData(bytes: Uint8Array, flavour: BftFlavour): BftExtraData {
  checkLength(bytes)
  const fields = new FieldReader(decodeItem(EXTRA_DATA, bytes), EXTRA_DATA)
  const vanity = fields.bytes('vanity')
  const validators = fixedItems(fields, 'validators', 20)
  const vote = decodeVote(fields, flavour)
  const round = decodeRound(fields, flavour)
  const seals = fixedItems(fields, 'seals', SEAL_BYTES)
  fields.end()
  return { vanity, validators, vote, round, seals }
}

/**
 * Extra data without vote and seals, in round 0: of a genesis block and of new blocks.
 * @param vanity padded with zeros on the left to 32 bytes, or cut after 32 bytes
 */
export function initialExtraData(validators: readonly Uint8Array[], vanity: Uint8Array): BftExtraData {
  return {
    vanity: padLeft(vanity.subarray(0, VANITY_BYTES), VANITY_BYTES),
    validators,
    vote: undefined,
    round: 0,
    seals: [],
  }
}

function encodeRound(round: number, flavour: BftFlavour): Uint8Array {
  const minimal = numberToBytes(round)
  return flavour.round === 'fixed' ? padLeft(minimal, ROUND_BYTES) : minimal
}

function decodeRound(fields: FieldReader, flavour: BftFlavour): number {
  if (flavour.round === 'fixed') return bytesToNumber(fields.fixed('round', ROUND_BYTES))
  return Number(fields.scalar('round', ROUND_BYTES))
}

function encodeVote(vote: BftVote | undefined, flavour: BftFlavour): RlpItem {
  if (vote === undefined) return flavour.noVote
  return [vote.recipient, vote.isAdd ? flavour.addVote : flavour.dropVote]
}

function decodeVote(fields: FieldReader, { noVote, addVote, dropVote }: BftFlavour): BftVote | undefined {
  const item = fields.item('vote')
  if (item.length === 0 && Array.isArray(item) === Array.isArray(noVote)) return undefined
  const vote = new FieldReader(item, { ...EXTRA_DATA, name: 'extra data: vote' })
  const recipient = vote.fixed('recipient', 20)
  const direction = vote.bytes('direction')
  vote.end()
  const isAdd = equalBytes(direction, addVote)
  if (!isAdd && !equalBytes(direction, dropVote)) throw vote.invalid('direction is neither add nor drop')
  return { recipient, isAdd }
}

function fixedItems(fields: FieldReader, field: string, length: number): Uint8Array[] {
  return fields.list(field).map((item: DecodedItem, i) => {
    if (!(item instanceof Uint8Array)) throw fields.invalid(`${field}[${i}] is a list`)
    if (item.length !== length) throw fields.invalid(`${field}[${i}] has ${item.length} bytes, not ${length}`)
    return item
  })
}
