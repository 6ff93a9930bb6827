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

/** Writes the hash, 32 bytes, to `out` from `at` on. */
export type Keccak256Into = (data: Uint8Array, out: Uint8Array, at: number) => void

const portableInto: Keccak256Into = (data, out, at) => out.set(implementation(data), at)

let implementation: Keccak256 = portableKeccak256
let intoImplementation: Keccak256Into = portableInto

/** @returns 32 bytes, owned by the caller */
export function keccak256(data: Uint8Array): Uint8Array {
  return implementation(data)
}

/** Like {@link keccak256}, for the many hashes that are needed only until they are hashed again. */
export function keccak256Into(data: Uint8Array, out: Uint8Array, at: number): void {
  intoImplementation(data, out, at)
}

/**
 * Replaces the implementation for the whole process.
 * @param into the same hash without an array for each digest
 * @throws {Error} when it does not hash the empty string to the known value
 */
export function installKeccak256(candidate: Keccak256, into: Keccak256Into = portableInto): void {
  if (!equalBytes(candidate(EMPTY_BYTES), EMPTY_CODE_HASH)) {
    throw new Error('the installed Keccak-256 gives a wrong digest')
  }
  implementation = candidate
  intoImplementation = into
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
