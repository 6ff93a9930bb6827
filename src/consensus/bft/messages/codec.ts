/**
 * The encoding of messages: what IBFT 2.0 and QBFT share, and the differences as data.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */
import { rlpEncode, rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import { WireReader } from '../../../types/wireReader.ts'
import type { Envelope } from './envelope.ts'
import { type HashPayload, type Integers, MESSAGE, readSignature } from './fields.ts'
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
   * @throws {NodeError} INVALID_BFT_MESSAGE when the body is not the one that the header names; the code of a malformed part
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
   * Reads height, round and signature.
   * @throws {NodeError} INVALID_BFT_MESSAGE
   */
  open(kind: MessageKind, bytes: Uint8Array): Envelope
  /**
   * Checks form and lengths of the rest. Authors of attached payloads are recovered when they are first read.
   * @param maxAuthors most payloads in each list: the number of validators
   * @throws {NodeError} INVALID_BFT_MESSAGE, or the code of a malformed block
   */
  decode(envelope: Envelope, blocks: BlockDecoder, maxAuthors: number): Message
}

const HASH_BYTES = 32

/** A list of encoded items. */
export function list(...encoded: readonly Uint8Array[]): Uint8Array {
  return rlpListOfEncoded(encoded)
}

/** [payload, signature] @param payload encoded */
export function encodeSigned(payload: Uint8Array, { signature }: Pick<Signed<Payload>, 'signature'>): Uint8Array {
  return list(payload, rlpEncode(signature))
}

/** Reads [payload, signature]. @param signed encoded @param read the payload, encoded */
export function readSigned<P extends Payload>(
  signed: Uint8Array,
  read: (payload: Uint8Array) => P,
  hash: HashPayload,
): Signed<P> {
  const fields = new WireReader(signed, MESSAGE)
  const encoded = fields.item('payload')
  const signature = readSignature(fields)
  fields.end()
  const payload = read(encoded)
  return new SignedPayload(payload, signature, () => hash(payload.kind, encoded))
}

/** [height, round, digest]: proposals of IBFT 2.0, and prepares. */
export function encodeVote({ height, round, digest }: PreparePayload | ProposalPayload, to: Integers): Uint8Array {
  return rlpEncode([to.height(height), to.round(round), digest])
}

/** @param payload encoded */
export function readVote<K extends 'proposal' | 'prepare'>(
  kind: K,
  payload: Uint8Array,
  from: Integers,
): { kind: K; height: number; round: number; digest: Uint8Array } {
  const fields = new WireReader(payload, MESSAGE)
  const height = from.readHeight(fields)
  const round = from.readRound(fields)
  const digest = fields.fixed('digest', HASH_BYTES)
  fields.end()
  return { kind, height, round, digest }
}

/** [height, round, digest, seal] @param payload encoded */
export function readCommit(payload: Uint8Array, from: Integers): CommitPayload {
  const fields = new WireReader(payload, MESSAGE)
  const height = from.readHeight(fields)
  const round = from.readRound(fields)
  const digest = fields.fixed('digest', HASH_BYTES)
  const seal = fields.fixed('seal', SIGNATURE_BYTES)
  fields.end()
  return { kind: 'commit', height, round, digest, seal }
}

export function encodeCommit({ height, round, digest, seal }: CommitPayload, to: Integers): Uint8Array {
  return rlpEncode([to.height(height), to.round(round), digest, seal])
}
