/**
 * Keccak-256 (the original padding, not SHA3-256).
 *
 * The portable implementation is noble's. A host with a faster one installs it once, before it builds a node. An
 * installed implementation applies to the whole process, as with secp256k1, Keccak-512 and the precompiles: only speed
 * depends on it, never a result. The same holds for all other module-level state, such as caches, memory pools and hash
 * seeds.
 * @module
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { EMPTY_BYTES, equalBytes, hexToBytes } from './bytes.ts'

export type Keccak256 = (data: Uint8Array) => Uint8Array

/** Works everywhere, independent of the installed implementation. */
export const portableKeccak256: Keccak256 = keccak_256

let implementation: Keccak256 = portableKeccak256

/** @returns 32 bytes, owned by the caller */
export function keccak256(data: Uint8Array): Uint8Array {
  return implementation(data)
}

/**
 * Replaces the implementation for the whole process.
 * @throws {Error} when it does not hash the empty string to the known value
 */
export function installKeccak256(candidate: Keccak256): void {
  if (!equalBytes(candidate(EMPTY_BYTES), EMPTY_CODE_HASH)) {
    throw new Error('the installed Keccak-256 gives a wrong digest')
  }
  implementation = candidate
}

/** keccak256 of the empty byte string: code hash of an account without code. */
export const EMPTY_CODE_HASH: Uint8Array = hexToBytes(
  'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
)
/** keccak256 of RLP of the empty byte string: root of an empty trie. */
export const EMPTY_TRIE_ROOT: Uint8Array = hexToBytes(
  '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
)
/** keccak256 of RLP of the empty list: ommersHash of a block without ommers. */
export const EMPTY_LIST_HASH: Uint8Array = hexToBytes(
  '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
)
