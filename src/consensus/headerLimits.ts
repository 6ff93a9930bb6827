/**
 * Limits shared by engines that do not use the extra data.
 * @module
 */
import { keccak256 } from '../base/primitives/keccak.ts'
import type { Header } from '../types/block.ts'
import { encodeHeader } from '../types/headerCodec.ts'

const MAX_EXTRA_DATA_BYTES = 32
/** Maximum lead of a timestamp over the local clock. */
const MAX_FUTURE_SECONDS = 15n

/** @returns why the extra data is invalid; undefined when it is valid */
export function checkExtraDataLength({ extraData }: Pick<Header, 'extraData'>): string | undefined {
  return extraData.length <= MAX_EXTRA_DATA_BYTES
    ? undefined
    : `invalid extra data: ${extraData.length} bytes, the maximum is ${MAX_EXTRA_DATA_BYTES}`
}

/** @param nowMs wall clock, milliseconds since 1970 */
export function arrivalByClock({ timestamp }: Header, nowMs: number): 'now' | 'future' {
  return timestamp > BigInt(Math.floor(nowMs / 1000)) + MAX_FUTURE_SECONDS ? 'future' : 'now'
}

/** Keccak-256 of the whole header's RLP, 32 bytes. */
export function fullHeaderHash(header: Header, encoded: Uint8Array = encodeHeader(header)): Uint8Array {
  return keccak256(encoded)
}
