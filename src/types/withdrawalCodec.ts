/**
 * RLP of withdrawals.
 * @see EIP-4895
 * @module
 */
import { reverseRlp } from '../base/primitives/reverseRlp.ts'
import type { Withdrawal } from './block.ts'
import type { FieldReader } from './fieldReader.ts'

/** The encoding in the withdrawals trie. */
export function encodeWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): Uint8Array {
  const out = reverseRlp.begin()
  out.scalar(amount)
  out.string(address)
  out.scalar(validatorIndex)
  out.scalar(index)
  out.list(0)
  return out.copy()
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
