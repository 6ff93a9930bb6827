import { keccak256 } from '../../primitives/keccak.ts'
import { rlpEncode } from '../../rlp/rlp.ts'
import type { Header } from '../../types/block.ts'
import { encodeHeaderFields } from '../../types/headerCodec.ts'

/** Place of mixHash, which nonce follows, among the fields of a header. */
const SEAL_FIELD = 13

/**
 * What a miner works on: the hash of a header without mixHash and nonce.
 * @returns 32 bytes
 */
export function powHash(header: Header): Uint8Array {
  const fields = encodeHeaderFields(header)
  fields.splice(SEAL_FIELD, 2)
  return keccak256(rlpEncode(fields))
}
