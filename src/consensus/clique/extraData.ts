/**
 * The extra data of a Clique header: vanity (32 bytes) ‖ signers (20 bytes each, in epoch blocks only) ‖ seal (65).
 * @see EIP-225; docs/reference/consensus-clique.md section 2
 * @module
 */
import { compareBytes, concatBytes, padLeft } from '../../base/primitives/bytes.ts'
import { SEAL_BYTES, VANITY_BYTES } from '../signedHeader.ts'

const ADDRESS_BYTES = 20
const MIN_BYTES = VANITY_BYTES + SEAL_BYTES

/** All bytes are views into the header's extra data. */
export interface CliqueExtraData {
  /** In the header's order; 20 bytes each. */
  readonly signers: readonly Uint8Array[]
  /** r ‖ s ‖ v, 65 bytes */
  readonly seal: Uint8Array
}

/** @returns why the bytes have another form; undefined when they have this one */
export function checkExtraData({ length }: Uint8Array): string | undefined {
  if (length < MIN_BYTES) return `invalid extra data: ${length} bytes, the minimum is ${MIN_BYTES}`
  return (length - MIN_BYTES) % ADDRESS_BYTES === 0
    ? undefined
    : `invalid extra data: ${length - MIN_BYTES} bytes between vanity and seal, not a multiple of ${ADDRESS_BYTES}`
}

/** @param bytes in the form that {@link checkExtraData} accepts */
export function parseExtraData(bytes: Uint8Array): CliqueExtraData {
  const end = bytes.length - SEAL_BYTES
  const signers: Uint8Array[] = []
  for (let at = VANITY_BYTES; at < end; at += ADDRESS_BYTES) signers.push(bytes.subarray(at, at + ADDRESS_BYTES))
  return { signers, seal: bytes.subarray(end) }
}

/**
 * @param vanity cut to 32 bytes, or padded with zeros on the left
 * @param seal default: zeros, for a header that is not sealed
 */
export function encodeExtraData(
  vanity: Uint8Array,
  signers: readonly Uint8Array[],
  seal: Uint8Array = new Uint8Array(SEAL_BYTES),
): Uint8Array {
  return concatBytes(padLeft(vanity.subarray(0, VANITY_BYTES), VANITY_BYTES), ...signers, seal)
}

/** The extra data with another seal. */
export function replaceSeal(extraData: Uint8Array, seal: Uint8Array): Uint8Array {
  return concatBytes(extraData.subarray(0, extraData.length - SEAL_BYTES), seal)
}

/** Without duplicates, ascending by bytes. */
export function sortedSigners(signers: readonly Uint8Array[]): readonly Uint8Array[] {
  const sorted = [...signers].sort(compareBytes)
  return sorted.filter((signer, i) => i === 0 || compareBytes(sorted[i - 1] as Uint8Array, signer) !== 0)
}
