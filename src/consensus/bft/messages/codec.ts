/**
 * The encoding of messages: what IBFT 2.0 and QBFT share, and the differences as data.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */
import { bytesToBigInt, bytesToNumber, numberToBytes, padLeft } from '../../../base/primitives/bytes.ts'
import { type DecodedItem, rlpEncode, rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import { type EncodedKind, FieldReader } from '../../../types/fieldReader.ts'
import type { BftProtocol } from './packets.ts'
import type {
  BftBlock,
  CommitPayload,
  Message,
  MessageKind,
  Payload,
  PreparePayload,
  ProposalPayload,
  Signed,
} from './payloads.ts'
import { type PayloadHasher, SIGNATURE_BYTES, SignedPayload } from './signing.ts'

/** Decodes blocks of proposals. */
export interface BlockDecoder {
  /**
   * @param encoded RLP of a block with full extra data
   * @throws {NodeError} the code of the malformed part
   */
  decode(encoded: Uint8Array): BftBlock
}

export interface MessageCodec extends PayloadHasher {
  readonly protocol: BftProtocol
  /** Number of message codes that the capability reserves. */
  readonly codeCount: number
  readonly codes: Readonly<Record<MessageKind, number>>
  encode(message: Message): Uint8Array
  /**
   * Checks form and lengths. Authors are recovered when they are first read.
   * @throws {NodeError} INVALID_BFT_MESSAGE, or the code of a malformed block
   */
  decode(kind: MessageKind, bytes: Uint8Array, blocks: BlockDecoder): Message
}

export const MESSAGE: EncodedKind = { code: 'INVALID_BFT_MESSAGE', name: 'consensus message' }

const HASH_BYTES = 32
const ROUND_BYTES = 4
const HEIGHT_BYTES = 8

/** How a protocol writes heights and rounds. */
export interface Integers {
  height(value: number): Uint8Array
  round(value: number): Uint8Array
  readHeight(fields: FieldReader): number
  readRound(fields: FieldReader, field?: string): number
}

function safeHeight(fields: FieldReader, bytes: Uint8Array): number {
  const value = bytesToBigInt(bytes)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw fields.invalid('the height is too large')
  return Number(value)
}

/** Always 8 bytes of height and 4 of round, big-endian. */
export const FIXED_INTEGERS: Integers = {
  height: (value) => padLeft(numberToBytes(value), HEIGHT_BYTES),
  round: (value) => padLeft(numberToBytes(value), ROUND_BYTES),
  readHeight: (fields) => safeHeight(fields, fields.fixed('height', HEIGHT_BYTES)),
  readRound: (fields, field = 'round') => bytesToNumber(fields.fixed(field, ROUND_BYTES)),
}

/** Without leading zeros; 0 is empty. */
export const MINIMAL_INTEGERS: Integers = {
  height: numberToBytes,
  round: numberToBytes,
  readHeight(fields) {
    const value = fields.scalar('height', HEIGHT_BYTES)
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw fields.invalid('the height is too large')
    return Number(value)
  },
  readRound: (fields, field = 'round') => Number(fields.scalar(field, ROUND_BYTES)),
}

/** A list of encoded items. */
export function list(...encoded: readonly Uint8Array[]): Uint8Array {
  return rlpListOfEncoded(encoded)
}

/** [payload, signature] @param payload encoded */
export function encodeSigned(payload: Uint8Array, { signature }: Pick<Signed<Payload>, 'signature'>): Uint8Array {
  return list(payload, rlpEncode(signature))
}

/** A payload that was read, with the exact bytes that its author signed. */
export interface ReadPayload<P> {
  readonly payload: P
  readonly hash: Uint8Array
}

/** Reads [payload, signature]. */
export function readSigned<P extends Payload>(
  item: DecodedItem,
  read: (payload: DecodedItem) => ReadPayload<P>,
): SignedPayload<P> {
  const fields = new FieldReader(item, MESSAGE)
  const { payload, hash } = read(fields.item('payload'))
  const signature = fields.fixed('signature', SIGNATURE_BYTES)
  if ((signature[SIGNATURE_BYTES - 1] as number) > 1) throw fields.invalid('the parity of the signature is not 0 or 1')
  fields.end()
  return new SignedPayload(payload, signature, hash)
}

/** Signs the encoding of a payload under its message code. */
export type HashPayload = (kind: MessageKind, encoded: Uint8Array) => Uint8Array

/** [height, round, digest]: proposals of IBFT 2.0, and prepares. */
export function encodeVote({ height, round, digest }: PreparePayload | ProposalPayload, to: Integers): Uint8Array {
  return rlpEncode([to.height(height), to.round(round), digest])
}

export function readVote<K extends 'proposal' | 'prepare'>(
  kind: K,
  item: DecodedItem,
  from: Integers,
  hash: HashPayload,
): ReadPayload<{ kind: K; height: number; round: number; digest: Uint8Array }> {
  const fields = new FieldReader(item, MESSAGE)
  const payload = {
    kind,
    height: from.readHeight(fields),
    round: from.readRound(fields),
    digest: fields.fixed('digest', HASH_BYTES),
  }
  fields.end()
  return { payload, hash: hash(kind, rlpEncode(item)) }
}

/** [height, round, digest, seal] */
export function readCommit(item: DecodedItem, from: Integers, hash: HashPayload): ReadPayload<CommitPayload> {
  const fields = new FieldReader(item, MESSAGE)
  const payload: CommitPayload = {
    kind: 'commit',
    height: from.readHeight(fields),
    round: from.readRound(fields),
    digest: fields.fixed('digest', HASH_BYTES),
    seal: fields.fixed('seal', SIGNATURE_BYTES),
  }
  fields.end()
  return { payload, hash: hash('commit', rlpEncode(item)) }
}

export function encodeCommit({ height, round, digest, seal }: CommitPayload, to: Integers): Uint8Array {
  return rlpEncode([to.height(height), to.round(round), digest, seal])
}

/** Reads a list whose items all have one form. */
export function readAll<T>(item: DecodedItem, field: string, read: (item: DecodedItem) => T): T[] {
  if (item instanceof Uint8Array) throw new FieldReader([], MESSAGE).invalid(`${field} is not a list`)
  return item.map(read)
}
