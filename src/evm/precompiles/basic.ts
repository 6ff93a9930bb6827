/**
 * The precompiles of Frontier.
 * @see Yellow Paper, appendix E
 * @module
 */
import { EMPTY_BYTES, padLeft } from '../../base/primitives/bytes.ts'
import { recoverAddress } from '../../base/primitives/secp256k1.ts'
import { sha256 as sha256Hash } from '../../base/primitives/sha256.ts'
import { isZeroAt, paddedSlice } from './input.ts'

/**
 * @param input hash, v (27 or 28), r and s, 32 bytes each; missing bytes are zero
 * @returns the address in 32 bytes; empty when there is no such key
 */
export function ecrecover(input: Uint8Array): Uint8Array {
  const words = paddedSlice(input, 0, 128)
  const v = words[63] as number
  if ((v !== 27 && v !== 28) || !isZeroAt(words, 32, 31)) return EMPTY_BYTES
  const address = recoverAddress(words.subarray(0, 32), words.subarray(64, 128), v === 27 ? 0 : 1)
  return address === undefined ? EMPTY_BYTES : padLeft(address, 32)
}

export function sha256(input: Uint8Array): Uint8Array {
  return sha256Hash(input)
}

export function identity(input: Uint8Array): Uint8Array {
  return input.slice()
}
