/**
 * Accounts in the slim form: storage root and code hash are empty when they are the defaults.
 * @see devp2p caps/snap.md, data format
 * @module
 */
import { concatBytes, equalBytes } from '../../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../base/primitives/keccak.ts'
import { rlpListPrefix, rlpSpan } from '../../../base/primitives/rlp.ts'

const EMPTY_STRING = Uint8Array.of(0x80)
/** A hash with its prefix byte. */
const HASH_ITEM_BYTES = 33

/** @param account value of the account trie, RLP */
export function slimAccount(account: Uint8Array): Uint8Array {
  const codeAt = account.length - HASH_ITEM_BYTES
  const rootAt = codeAt - HASH_ITEM_BYTES
  const scalars = account.subarray(rlpSpan(account, 0).payload, rootAt)
  const root = slimHash(account.subarray(rootAt, codeAt), EMPTY_TRIE_ROOT)
  const code = slimHash(account.subarray(codeAt), EMPTY_CODE_HASH)
  return concatBytes(rlpListPrefix(scalars.length + root.length + code.length), scalars, root, code)
}

function slimHash(item: Uint8Array, empty: Uint8Array): Uint8Array {
  return equalBytes(item.subarray(1), empty) ? EMPTY_STRING : item
}
