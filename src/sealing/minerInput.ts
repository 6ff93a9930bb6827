/**
 * Input of miners outside the node, in the lenient form that they send.
 * @module
 */
import { tryHexToBytes } from '../base/primitives/bytes.ts'

export interface Share {
  /** 8 bytes */
  readonly nonce: Uint8Array
  /** Up to 32 bytes; a shorter one belongs to no work. */
  readonly powHash: Uint8Array
}

export interface ReportedHashrate {
  /** Up to 32 bytes. */
  readonly id: Uint8Array
  /** hashes per second */
  readonly rate: bigint
}

const NONCE_BYTES = 8
const HASH_BYTES = 32

/**
 * @param nonce hex with at least 8 bytes; further ones are ignored
 * @returns undefined for malformed input
 */
export function parseShare(nonce: unknown, powHash: unknown): Share | undefined {
  const [nonceBytes, hashBytes] = [hexBytes(nonce), hexBytes(powHash)]
  if (nonceBytes === undefined || nonceBytes.length < NONCE_BYTES) return undefined
  if (hashBytes === undefined || hashBytes.length > HASH_BYTES) return undefined
  return { nonce: nonceBytes.slice(0, NONCE_BYTES), powHash: hashBytes }
}

/**
 * @param rate hex with an even number of digits; the last 64 bits count
 * @returns undefined for malformed input
 */
export function parseHashrate(rate: unknown, id: unknown): ReportedHashrate | undefined {
  const [rateBytes, idBytes] = [hexBytes(rate), hexBytes(id)]
  if (rateBytes === undefined || idBytes === undefined || idBytes.length > HASH_BYTES) return undefined
  let value = 0n
  for (const byte of rateBytes.subarray(-NONCE_BYTES)) value = (value << 8n) | BigInt(byte)
  return { id: idBytes, rate: value }
}

function hexBytes(value: unknown): Uint8Array | undefined {
  return typeof value === 'string' ? tryHexToBytes(value) : undefined
}
