/**
 * Waits for the receipt of a submitted transaction.
 * @see EIP-7966
 * @module
 */

import { DEFAULT_RECEIPT_WAIT_MS, MAX_RECEIPT_WAIT_MS } from '../../base/limits/limits.ts'
import type { Timers } from '../../base/ports/timers.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { ChainReader } from '../../chain/contract.ts'
import type { Cancellation } from '../cancellation.ts'
import { receiptOf } from '../views.ts'
import type { ReceiptView } from '../viewTypes.ts'
import type { Subscriber, SubscriptionHub } from './subscriptionHub.ts'

export interface ReceiptWaitBackend {
  readonly chain: ChainReader
  readonly subscriptions: SubscriptionHub
  readonly timers: Timers
}

/** Checks for the receipt at each new head. */
class HeadListener implements Subscriber {
  readonly #onHead: () => void
  readonly #onClose: (() => void)[] = []

  constructor(onHead: () => void) {
    this.#onHead = onHead
  }

  send(): void {
    this.#onHead()
  }

  onClose(listener: () => void): void {
    this.#onClose.push(listener)
  }

  close(): void {
    for (const listener of this.#onClose) listener()
  }
}

/**
 * @param timeoutMs requested by the client; undefined or 0: the default
 * @throws {NodeError} RECEIPT_WAIT_EXPIRED, with the hash as its data; TIMEOUT when the request is aborted
 */
export function waitForReceipt(
  { chain, subscriptions, timers }: ReceiptWaitBackend,
  hash: Uint8Array,
  timeoutMs: number | undefined,
  context: Cancellation,
): ReceiptView | Promise<ReceiptView> {
  const receipt = receiptOf(chain, hash)
  if (receipt !== undefined) return receipt
  const { signal } = context
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      timer.cancel()
      signal?.removeEventListener('abort', onAbort)
      heads.close()
      settle()
    }
    const look = (): void => {
      try {
        const receipt = receiptOf(chain, hash)
        if (receipt !== undefined) end(() => resolve(receipt))
      } catch (error) {
        end(() => reject(error))
      }
    }
    const wait = Math.min(timeoutMs || DEFAULT_RECEIPT_WAIT_MS, MAX_RECEIPT_WAIT_MS)
    const timer = timers.schedule(wait, () => end(() => reject(expired(hash, wait))))
    const onAbort = (): void => end(() => reject(new NodeError({ code: 'TIMEOUT' }, 'request aborted')))
    signal?.addEventListener('abort', onAbort)
    const heads = new HeadListener(look)
    subscriptions.subscribe(heads, { kind: 'newHeads', includeTransactions: false })
  })
}

function expired(hash: Uint8Array, waitedMs: number): NodeError {
  const message = `the transaction is in the pool but was not mined within ${waitedMs} ms`
  return new NodeError({ code: 'RECEIPT_WAIT_EXPIRED', data: bytesToHex(hash) }, message)
}
