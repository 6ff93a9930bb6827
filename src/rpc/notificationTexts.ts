/**
 * Notifications of eth_subscribe.
 * @see docs/reference/rpc-envelope.md section 11
 * @module
 */
import type { FeedTexts } from '../api/feeds/feedTexts.ts'
import type { RpcProfile } from '../api/profile.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { serializeBlock } from './codecs/block.ts'
import { serializeLog } from './codecs/receipt.ts'
import { syncingStatus } from './codecs/sync.ts'
import { serializeTransactionDetail, serializeWaitingTransaction } from './codecs/transaction.ts'

export function notificationTexts(profile: RpcProfile): FeedTexts {
  const serializeTransaction = profile === 'geth' ? serializeWaitingTransaction : serializeTransactionDetail
  return {
    frame: (id) => {
      const params = `{"subscription":"0x${id.toString(16)}","result":`
      return { head: `{"jsonrpc":"2.0","method":"eth_subscription","params":${params}`, tail: '}}' }
    },
    block: (view) => JSON.stringify(serializeBlock(view)),
    log: (view) => JSON.stringify(serializeLog(view)),
    transaction: (view) => JSON.stringify(serializeTransaction(view)),
    transactionHash: (hash) => `"${bytesToHex(hash)}"`,
    syncing: (status) => JSON.stringify(syncingStatus.serialize(status)),
  }
}
