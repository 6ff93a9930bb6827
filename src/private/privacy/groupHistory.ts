/**
 * The history of a flexible group, which the addition of a member carries: a list of transactions, each with its marker
 * and the state of the group after it.
 * @module
 */
import { isNodeError } from '../../base/primitives/errors.ts'
import { type RlpItem, rlpDecodeList, rlpEncode } from '../../base/primitives/rlp.ts'
import { type PrivateTransaction, privateTransactionItem, readPrivateTransaction } from './privateTransaction.ts'

export interface PastTransaction {
  readonly transaction: PrivateTransaction
  /** Hash of the marker, 32 bytes. */
  readonly marker: Uint8Array
  /** 32 bytes */
  readonly stateRoot: Uint8Array
}

export interface GroupHistory {
  /** Key of the payload in the enclave, 32 bytes. */
  readonly key: Uint8Array
  /** Oldest first. */
  readonly past: readonly PastTransaction[]
}

export function encodeGroupHistory(past: readonly PastTransaction[]): Uint8Array {
  return rlpEncode(
    past.map(
      ({ transaction, marker, stateRoot }): RlpItem => [privateTransactionItem(transaction), [marker, stateRoot]],
    ),
  )
}

/** @returns undefined if the payload is not a history */
export function readGroupHistory(payload: Uint8Array, key: Uint8Array): GroupHistory | undefined {
  try {
    const past = rlpDecodeList(payload).map((item): PastTransaction => {
      const [transaction, metadata] = item instanceof Uint8Array ? [] : item
      const [marker, stateRoot] = Array.isArray(metadata) ? metadata : []
      if (!isHash(marker) || !isHash(stateRoot)) throw new RangeError('expected a hash')
      return { transaction: readPrivateTransaction(transaction ?? []), marker, stateRoot }
    })
    return { key, past }
  } catch (error) {
    if (isNodeError(error) || error instanceof RangeError) return undefined
    throw error
  }
}

function isHash(item: unknown): item is Uint8Array {
  return item instanceof Uint8Array && item.length === 32
}
