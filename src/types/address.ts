/**
 * Addresses of created contracts.
 * @see Yellow Paper 7; EIP-1014
 * @module
 */
import { bigIntToBytes, concatBytes } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { rlpEncode } from '../rlp/rlp.ts'

/** Address that a creation by `sender` with this nonce gets, 20 bytes. */
export function createAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(rlpEncode([sender, bigIntToBytes(nonce)])).slice(12)
}

/** Address of CREATE2, 20 bytes. `salt` has 32. */
export function create2Address(sender: Uint8Array, salt: Uint8Array, initCode: Uint8Array): Uint8Array {
  return keccak256(concatBytes(Uint8Array.of(0xff), sender, salt, keccak256(initCode))).slice(12)
}
