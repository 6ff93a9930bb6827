import type { SyncStatus } from '../nodeInfo.ts'
import type { BlockView, LogView, WaitingTransaction } from '../viewTypes.ts'

/** Serialization of notifications, supplied by the protocol that serves subscriptions. */
export interface FeedTexts {
  /** Text of every notification of a subscription before and after the result. */
  frame(id: bigint): { readonly head: string; readonly tail: string }
  block(view: BlockView): string
  log(view: LogView): string
  transaction(view: WaitingTransaction): string
  /** @param hash 32 bytes */
  transactionHash(hash: Uint8Array): string
  /** @param status undefined: in sync */
  syncing(status: SyncStatus | undefined): string
}
