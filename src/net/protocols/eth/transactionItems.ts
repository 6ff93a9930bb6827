/**
 * Transactions in messages: legacy ones are lists, typed ones byte strings, with their blobs if they have any.
 * @see EIP-2718, EIP-2976, EIP-4844
 * @module
 */
import { rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import { decodePooledTransaction } from '../../../types/blobSidecar.ts'
import { transactionItem } from '../../../types/blockCodec.ts'
import { ItemBudget, type WireReader } from '../../../types/wireReader.ts'
import { ETH_MESSAGE } from './bodyCodec.ts'
import type { EncodedTransaction } from './messages.ts'

const LIST_PREFIX = 0xc0

/** @param encodings EIP-2718, in the network form for blobs */
export function transactionList(encodings: readonly Uint8Array[]): Uint8Array {
  return rlpListOfEncoded(encodings.map(transactionItem))
}

/** @throws {NodeError} INVALID_PROTOCOL_MESSAGE, INVALID_TRANSACTION_ENCODING, UNSUPPORTED_TRANSACTION_TYPE */
export function readTransactions(fields: WireReader): EncodedTransaction[] {
  const budget = new ItemBudget(ETH_MESSAGE)
  return fields.all('transactions', (items) => readTransaction(items, budget))
}

function readTransaction(fields: WireReader, budget: ItemBudget): EncodedTransaction {
  const isLegacy = fields.nextIsList
  const encoding = isLegacy ? fields.item('transaction') : fields.bytes('transaction')
  const first = encoding[0]
  if (first === undefined || (!isLegacy && first >= LIST_PREFIX)) throw fields.invalid('a transaction has no type')
  // The first byte of a typed transaction is its type.
  budget.take(encoding, isLegacy ? 0 : 1)
  return { encoding, ...decodePooledTransaction(encoding) }
}
