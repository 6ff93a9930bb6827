/**
 * Constants and layout of ECDSA signatures in transactions.
 * @see Yellow Paper, appendix F; EIP-2
 * @module
 */
import { bigIntToBytes } from '../base/primitives/bytes.ts'
import { SECP256K1_ORDER } from '../base/primitives/secp256k1Order.ts'

/** EIP-2: largest s allowed since Homestead. */
export const SECP256K1_HALF_ORDER: bigint = SECP256K1_ORDER >> 1n

/** r ‖ s, 64 bytes. */
export function packSignature(r: bigint, s: bigint): Uint8Array {
  const signature = new Uint8Array(64)
  const rBytes = bigIntToBytes(r)
  const sBytes = bigIntToBytes(s)
  signature.set(rBytes, 32 - rBytes.length)
  signature.set(sBytes, 64 - sBytes.length)
  return signature
}
