/**
 * Fields that all messages have, and how each protocol writes them.
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */
import { bytesToBigInt, bytesToNumber, numberToBytes, padLeft } from '../../../base/primitives/bytes.ts'
import type { EncodedKind } from '../../../types/fieldReader.ts'
import type { WireReader } from '../../../types/wireReader.ts'
import type { MessageKind } from './payloads.ts'
import { SIGNATURE_BYTES } from './signing.ts'

export const MESSAGE: EncodedKind = { code: 'INVALID_BFT_MESSAGE', name: 'consensus message' }

const ROUND_BYTES = 4
const HEIGHT_BYTES = 8

/** How a protocol writes heights and rounds. */
export interface Integers {
  height(value: number): Uint8Array
  round(value: number): Uint8Array
  readHeight(fields: WireReader): number
  readRound(fields: WireReader, field?: string): number
}

function safeHeight(fields: WireReader, value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw fields.invalid('the height is too large')
  return Number(value)
}

/** Always 8 bytes of height and 4 of round, big-endian. */
export const FIXED_INTEGERS: Integers = {
  height: (value) => padLeft(numberToBytes(value), HEIGHT_BYTES),
  round: (value) => padLeft(numberToBytes(value), ROUND_BYTES),
  readHeight: (fields) => safeHeight(fields, bytesToBigInt(fields.fixed('height', HEIGHT_BYTES))),
  readRound: (fields, field = 'round') => bytesToNumber(fields.fixed(field, ROUND_BYTES)),
}

/** Without leading zeros; 0 is empty. */
export const MINIMAL_INTEGERS: Integers = {
  height: numberToBytes,
  round: numberToBytes,
  readHeight: (fields) => safeHeight(fields, fields.scalar('height', HEIGHT_BYTES)),
  readRound: (fields, field = 'round') => Number(fields.scalar(field, ROUND_BYTES)),
}

/** @throws {NodeError} INVALID_BFT_MESSAGE when a form or a length is wrong, or fields follow */
export function readSignature(signed: WireReader): Uint8Array {
  const signature = signed.fixed('signature', SIGNATURE_BYTES)
  if ((signature[SIGNATURE_BYTES - 1] as number) > 1) throw signed.invalid('the parity of the signature is not 0 or 1')
  return signature
}

/** The 32 bytes that the author of an encoded payload signs. */
export type HashPayload = (kind: MessageKind, encoded: Uint8Array) => Uint8Array
