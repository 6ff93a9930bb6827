/**
 * EIP-7702 authorizations: what is signed and who signed.
 * @module
 */
import { bigIntToBytes, bigIntToBytesPadded, concatBytes } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { recoverAddress } from '../primitives/secp256k1.ts'
import { rlpEncode } from '../rlp/rlp.ts'
import type { Authorization } from './transaction.ts'

const MAGIC = Uint8Array.of(0x05)
/** Half the order of secp256k1: larger s are refused (EIP-2). */
export const SECP256K1_HALF_ORDER: bigint = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Code of an account that delegates: 0xef0100 ‖ address. */
export const DELEGATION_PREFIX: Uint8Array = Uint8Array.of(0xef, 0x01, 0x00)

export function authorizationHash(authorization: Pick<Authorization, 'chainId' | 'address' | 'nonce'>): Uint8Array {
  const { chainId, address, nonce } = authorization
  return keccak256(concatBytes(MAGIC, rlpEncode([bigIntToBytes(chainId), address, bigIntToBytes(nonce)])))
}

/** The account that signed, 20 bytes; undefined when the signature is not valid. */
export function recoverAuthority(authorization: Authorization): Uint8Array | undefined {
  const { yParity, r, s } = authorization
  if (yParity > 1n || r === 0n || s === 0n || s > SECP256K1_HALF_ORDER) return undefined
  const signature = concatBytes(bigIntToBytesPadded(r, 32), bigIntToBytesPadded(s, 32))
  return recoverAddress(authorizationHash(authorization), signature, yParity === 1n ? 1 : 0)
}

/** The address that this code delegates to; undefined when it is no delegation. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  if (code.length !== 23 || code[0] !== 0xef || code[1] !== 0x01 || code[2] !== 0x00) return undefined
  return code.subarray(3)
}
