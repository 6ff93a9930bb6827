/**
 * Accounts in the slim form: storage root and code hash are empty when they are the defaults.
 * @see devp2p caps/snap.md, data format
 * @module
 */
import { concatBytes, equalBytes } from '../../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../base/primitives/keccak.ts'
import { rlpEncode, rlpListOfEncoded, rlpListPrefix, rlpSpan } from '../../../base/primitives/rlp.ts'
import { type EncodedKind, encodingError } from '../../../types/fieldReader.ts'
import { WireReader } from '../../../types/wireReader.ts'

const ACCOUNT: EncodedKind = { code: 'INVALID_PROTOCOL_MESSAGE', name: 'slim account' }
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

/**
 * The value of the account trie.
 * @param slim RLP
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE
 */
export function fullAccount(slim: Uint8Array): Uint8Array {
  const fields = new WireReader(slim, ACCOUNT)
  const nonce = fields.item('nonce')
  const balance = fields.item('balance')
  const check = new WireReader(slim, ACCOUNT)
  check.scalar('nonce')
  check.scalar('balance', 32)
  const root = fullHash(fields.bytes('storage root'), EMPTY_TRIE_ROOT)
  const code = fullHash(fields.bytes('code hash'), EMPTY_CODE_HASH)
  fields.end()
  return rlpListOfEncoded([nonce, balance, root, code])
}

function fullHash(bytes: Uint8Array, empty: Uint8Array): Uint8Array {
  if (bytes.length === 0) return rlpEncode(empty)
  if (bytes.length !== empty.length) throw encodingError(ACCOUNT, `a hash of ${bytes.length} bytes`)
  return rlpEncode(bytes)
}
