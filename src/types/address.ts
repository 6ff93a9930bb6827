/**
 * Addresses of contracts.
 * @see Yellow Paper 7; EIP-1014
 * @module
 */
import { bigIntToBytes, concatBytes } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { rlpEncode } from '../rlp/rlp.ts'

const CREATE2_PREFIX = Uint8Array.of(0xff)

/**
 * Address of a contract that a transaction or CREATE makes.
 * @param sender 20 bytes
 * @param nonce the sender's before the creation
 */
export function createAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(rlpEncode([sender, bigIntToBytes(nonce)])).slice(12)
}

/**
 * Address of a contract that CREATE2 makes.
 * @param sender 20 bytes
 * @param salt 32 bytes
 * @param initCodeHash 32 bytes
 */
export function create2Address(sender: Uint8Array, salt: Uint8Array, initCodeHash: Uint8Array): Uint8Array {
  return keccak256(concatBytes(CREATE2_PREFIX, sender, salt, initCodeHash)).slice(12)
}
