import { EMPTY_BYTES } from '../../../primitives/bytes.ts'
import { rlpEncode } from '../../../rlp/rlp.ts'
import type { PooledTransaction } from '../../../txpool/contract.ts'
import { encodeTransaction, transactionPublicKey } from '../../../types/transactionCodec.ts'
import type { PendingTransaction } from '../../codecs/transaction.ts'

/** A waiting transaction as it is shown: with its sender's key and its network encoding. */
export function pendingView({ transaction, hash, sender }: PooledTransaction): PendingTransaction {
  const encoded = encodeTransaction(transaction)
  return {
    transaction,
    hash,
    from: sender,
    publicKey: transactionPublicKey(transaction) ?? EMPTY_BYTES,
    // Between nodes a typed transaction travels as an RLP byte string.
    raw: transaction.type === 0 ? encoded : rlpEncode(encoded),
  }
}
