/**
 * The part of a message that is read first: its step of the protocol and its author. The rest is decoded only when
 * both are acceptable.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */
import { WireReader } from '../../../types/wireReader.ts'
import { type HashPayload, type Integers, MESSAGE, readSignature } from './fields.ts'
import type { MessageKind, Payload, Signed, View } from './payloads.ts'
import { SignedPayload } from './signing.ts'

export class Envelope implements View {
  readonly kind: MessageKind
  readonly height: number
  readonly round: number
  /** The signed payload, encoded. */
  readonly payload: Uint8Array
  /** After the signed payload; at its end for votes, which consist of nothing else. */
  readonly attachments: WireReader
  readonly #signed: SignedPayload<View>

  /**
   * @param bytes the message
   * @throws {NodeError} INVALID_BFT_MESSAGE
   */
  constructor(kind: MessageKind, bytes: Uint8Array, from: Integers, hash: HashPayload) {
    const message = new WireReader(bytes, MESSAGE)
    const isVote = kind === 'prepare' || kind === 'commit'
    const signed = isVote ? message : message.list('signed payload')
    const payload = signed.item('payload')
    const signature = readSignature(signed)
    const fields = new WireReader(payload, MESSAGE)
    this.kind = kind
    this.height = from.readHeight(fields)
    this.round = from.readRound(fields)
    this.payload = payload
    this.attachments = message
    this.#signed = new SignedPayload({ height: this.height, round: this.round }, signature, () => hash(kind, payload))
  }

  get signature(): Uint8Array {
    return this.#signed.signature
  }

  /** 20 bytes, recovered when it is first read; undefined when the signature is invalid */
  get author(): Uint8Array | undefined {
    return this.#signed.author
  }
}

/** The payload of an envelope, with the author that the envelope has recovered. */
export function signedOf<P extends Payload>(envelope: Envelope, payload: P): Signed<P> {
  if (envelope.kind === 'prepare' || envelope.kind === 'commit') envelope.attachments.end()
  return {
    payload,
    signature: envelope.signature,
    get author() {
      return envelope.author
    },
  }
}
