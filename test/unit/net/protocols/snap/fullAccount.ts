import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../../../src/base/primitives/keccak.ts'
import { rlpEncode, rlpListOfEncoded } from '../../../../../src/base/primitives/rlp.ts'
import { type EncodedKind, encodingError } from '../../../../../src/types/fieldReader.ts'
import { WireReader } from '../../../../../src/types/wireReader.ts'

const ACCOUNT: EncodedKind = { code: 'INVALID_PROTOCOL_MESSAGE', name: 'slim account' }

/**
 * The value of the account trie, as a peer makes it of the slim form.
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
