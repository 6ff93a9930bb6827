/**
 * Parts that the codecs of all eth messages share.
 * @module
 */
import { bigIntToBytes } from '../../../base/primitives/bytes.ts'
import { rlpEncode, rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import type { EncodedKind } from '../../../types/fieldReader.ts'
import type { WireReader } from '../../../types/wireReader.ts'
import type { EthMessage } from './messages.ts'
import type { EthMessageKind, EthVersion } from './versions.ts'

export const ETH_MESSAGE: EncodedKind = { code: 'INVALID_PROTOCOL_MESSAGE', name: 'eth message' }

export type MessageOf<K extends EthMessageKind> = Extract<EthMessage, { readonly kind: K }>

/** Encodes and decodes a message without its request id. */
export interface BodyCodec<K extends EthMessageKind> {
  /** @returns RLP of one list */
  encode(message: MessageOf<K>, version: EthVersion): Uint8Array
  /**
   * @param maxItems of a response: as many as were requested
   * @throws {NodeError} INVALID_PROTOCOL_MESSAGE, or the code of a malformed part
   */
  decode(fields: WireReader, version: EthVersion, maxItems?: number): Omit<MessageOf<K>, 'requestId' | 'kind'>
}

export function encodeScalar(value: bigint): Uint8Array {
  return rlpEncode(bigIntToBytes(value))
}

/** A list of byte strings. */
export function encodeStrings(strings: readonly Uint8Array[]): Uint8Array {
  return rlpListOfEncoded(strings.map(rlpEncode))
}
