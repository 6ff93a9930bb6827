/**
 * SHA-256. The portable implementation is noble's; a host with a faster one installs it once, as with Keccak-256.
 * @module
 */
import { sha256 as portable } from '@noble/hashes/sha2.js'
import { EMPTY_BYTES, equalBytes, hexToBytes } from './bytes.ts'

export type Sha256 = (data: Uint8Array) => Uint8Array

let implementation: Sha256 = portable

/** @returns 32 bytes, owned by the caller */
export function sha256(data: Uint8Array): Uint8Array {
  return implementation(data)
}

const EMPTY_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * Replaces the implementation for the whole process.
 * @throws {Error} when it does not hash the empty string to the known value
 */
export function installSha256(candidate: Sha256): void {
  if (!equalBytes(candidate(EMPTY_BYTES), hexToBytes(EMPTY_DIGEST))) {
    throw new Error('the installed SHA-256 gives a wrong digest')
  }
  implementation = candidate
}
