/**
 * Verification of signatures over secp256r1.
 * @see EIP-7951
 * @module
 */
import { p256 } from '@noble/curves/nist.js'
import { concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts'
import { booleanWord } from './input.ts'

const UNCOMPRESSED: Uint8Array = Uint8Array.of(4)
/** Any `s` is good; the hash is signed as it is. */
const OPTIONS = { lowS: false, prehash: false } as const

/**
 * @param input hash, r, s, x and y, 32 bytes each
 * @returns 1 in 32 bytes; nothing when the signature does not hold or the input is malformed
 */
export function p256Verify(input: Uint8Array): Uint8Array {
  if (input.length !== 160) return EMPTY_BYTES
  return holds(input) ? booleanWord(true) : EMPTY_BYTES
}

function holds(input: Uint8Array): boolean {
  const publicKey = concatBytes(UNCOMPRESSED, input.subarray(96, 160))
  try {
    return p256.verify(input.subarray(32, 96), input.subarray(0, 32), publicKey, OPTIONS)
  } catch {
    return false
  }
}
