import { keccak256 } from '../../base/primitives/keccak.ts'
import { rlpEncode } from '../../base/primitives/rlp.ts'
import type { Header } from '../../types/block.ts'
import { encodeHeaderFields } from '../../types/headerCodec.ts'

/** Index of mixHash among the fields of a header; nonce follows. */
const SEAL_FIELD = 13

/**
 * The input of mining: the hash of a header without mixHash and nonce.
 * @returns 32 bytes
 */
export function powHash(header: Header): Uint8Array {
  const fields = encodeHeaderFields(header)
  fields.splice(SEAL_FIELD, 2)
  return keccak256(rlpEncode(fields))
}
