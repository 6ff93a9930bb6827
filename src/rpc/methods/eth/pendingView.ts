import { EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { rlpEncode } from '../../../base/primitives/rlp.ts'
import type { PooledTransaction } from '../../../txpool/contract.ts'
import { encodeTransaction, transactionPublicKey } from '../../../types/transactionCodec.ts'
import type { PendingTransaction } from '../../codecs/transaction.ts'

/** A waiting transaction with its sender's public key and its network encoding. */
export function pendingView({ transaction, hash, sender }: PooledTransaction): PendingTransaction {
  const encoded = encodeTransaction(transaction)
  return {
    transaction,
    hash,
    from: sender,
    publicKey: transactionPublicKey(transaction) ?? EMPTY_BYTES,
    // The network protocol wraps a typed transaction in an RLP byte string.
    raw: transaction.type === 0 ? encoded : rlpEncode(encoded),
  }
}
