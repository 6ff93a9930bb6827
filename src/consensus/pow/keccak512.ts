/**
 * Keccak-512 (the original padding, not SHA3-512), used only by ethash. Replaceable like `base/primitives/keccak.ts`.
 * @module
 */
import { keccak_512 } from '@noble/hashes/sha3.js'
import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'

export type Keccak512 = (data: Uint8Array) => Uint8Array

let implementation: Keccak512 = keccak_512

/** @returns 64 bytes, owned by the caller, at the start of an exclusive buffer */
export function keccak512(data: Uint8Array): Uint8Array {
  return implementation(data)
}

/**
 * Replaces the implementation for the whole process.
 * @throws {Error} when it does not hash the empty string to the known value
 */
export function installKeccak512(candidate: Keccak512): void {
  const digest = candidate(EMPTY_BYTES)
  if (digest.byteOffset !== 0 || !equalBytes(digest, keccak_512(EMPTY_BYTES))) {
    throw new Error('the installed Keccak-512 computes a wrong digest')
  }
  implementation = candidate
}
