import { equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../base/primitives/keccak.ts'
import type { Account } from './stateDb.ts'

/** EIP-161: no nonce, no balance, no code. */
export function isEmptyAccount({ nonce, balance, codeHash }: Account): boolean {
  return nonce === 0n && balance === 0n && equalBytes(codeHash, EMPTY_CODE_HASH)
}
