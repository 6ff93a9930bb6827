/** Stored logs of a block, made from decoded ones. */
import { encodeTransactionKeys } from '../../../src/chain/blockRecord.ts'
import type { StoredLogs } from '../../../src/chain/contract.ts'
import type { Log, StoredReceipt } from '../../../src/types/receipt.ts'
import { encodeStoredReceipts } from '../../../src/types/receiptCodec.ts'

export interface LoggedBlock {
  readonly number: number
  readonly blockHash: Uint8Array
  readonly transactions: readonly { readonly hash: Uint8Array; readonly logs: readonly Log[] }[]
}

export function storedLogs({ number, blockHash, transactions }: LoggedBlock): StoredLogs {
  const receipts = transactions.map(({ logs }): StoredReceipt => {
    return { type: 2, status: true, cumulativeGasUsed: 21_000n, gasUsed: 21_000n, logsBloom: new Uint8Array(256), logs }
  })
  const hashes = transactions.map(({ hash }) => hash)
  const senders = transactions.map(() => new Uint8Array(20))
  return {
    number,
    blockHash,
    receipts: encodeStoredReceipts(receipts),
    transactionKeys: encodeTransactionKeys({ hashes, senders }),
  }
}
