/**
 * Constants and layout of ECDSA signatures in transactions.
 * @see Yellow Paper, appendix F; EIP-2
 * @module
 */
import { bigIntToBytes } from '../base/primitives/bytes.ts'

/** Order of the secp256k1 group; r and s are below it. */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
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
