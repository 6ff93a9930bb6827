/**
 * Authorisations of set-code transactions.
 * @see EIP-7702
 * @module
 */
import { bigIntToBytes, concatBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import type { ReverseRlp } from '../base/primitives/reverseRlp.ts'
import { rlpEncode } from '../base/primitives/rlp.ts'
import { recoverAddress } from '../base/primitives/secp256k1.ts'
import { SECP256K1_ORDER } from '../base/primitives/secp256k1Order.ts'
import type { FieldReader } from './fieldReader.ts'
import { packSignature, SECP256K1_HALF_ORDER } from './signature.ts'
import type { Authorization } from './transaction.ts'

const MAGIC = Uint8Array.of(0x05)

/** The hash that the authority signs, 32 bytes. */
export function authorizationSigningHash(
  authorization: Pick<Authorization, 'chainId' | 'address' | 'nonce'>,
): Uint8Array {
  const fields = [bigIntToBytes(authorization.chainId), authorization.address, bigIntToBytes(authorization.nonce)]
  return keccak256(concatBytes(MAGIC, rlpEncode(fields)))
}

/** The address of the signer, 20 bytes; undefined when the signature is not valid. */
export function recoverAuthority(authorization: Authorization): Uint8Array | undefined {
  const { yParity, r, s } = authorization
  if (yParity > 1n || r === 0n || r >= SECP256K1_ORDER || s === 0n || s > SECP256K1_HALF_ORDER) return undefined
  return recoverAddress(authorizationSigningHash(authorization), packSignature(r, s), yParity === 1n ? 1 : 0)
}

export function writeAuthorization(authorization: Authorization, out: ReverseRlp): void {
  const end = out.length
  out.scalar(authorization.s)
  out.scalar(authorization.r)
  out.scalar(authorization.yParity)
  out.scalar(authorization.nonce)
  out.string(authorization.address)
  out.scalar(authorization.chainId)
  out.list(end)
}

/** @throws {NodeError} with the code of the reader's kind */
export function decodeAuthorizationFields(fields: FieldReader): Authorization {
  const authorization = {
    chainId: fields.scalar('authorization chainId', 32),
    address: fields.fixed('authorization address', 20),
    nonce: fields.scalar('authorization nonce', 8),
    yParity: fields.scalar('authorization yParity', 1),
    r: fields.scalar('authorization r', 32),
    s: fields.scalar('authorization s', 32),
  }
  fields.end()
  return authorization
}
