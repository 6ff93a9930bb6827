/**
 * RLP of withdrawals.
 * @see EIP-4895
 * @module
 */
import { bigIntToBytes } from '../base/primitives/bytes.ts'
import { type RlpItem, rlpEncode } from '../base/primitives/rlp.ts'
import type { Withdrawal } from './block.ts'
import type { FieldReader } from './fieldReader.ts'

/** The encoding in the withdrawals trie. */
export function encodeWithdrawal(withdrawal: Withdrawal): Uint8Array {
  return rlpEncode(encodeWithdrawalFields(withdrawal))
}

export function encodeWithdrawalFields({ index, validatorIndex, address, amount }: Withdrawal): RlpItem[] {
  return [bigIntToBytes(index), bigIntToBytes(validatorIndex), address, bigIntToBytes(amount)]
}

/** @throws {NodeError} with the code of the reader's kind */
export function decodeWithdrawalFields(fields: FieldReader): Withdrawal {
  const withdrawal = {
    index: fields.scalar('withdrawal index', 8),
    validatorIndex: fields.scalar('withdrawal validatorIndex', 8),
    address: fields.fixed('withdrawal address', 20),
    amount: fields.scalar('withdrawal amount', 8),
  }
  fields.end()
  return withdrawal
}
