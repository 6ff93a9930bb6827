/**
 * Blobs of mined transactions, which blocks do not contain: the newest ones since the start of the node, in memory.
 * @module
 */

import { MAX_MINED_BLOB_BYTES } from '../base/limits/limits.ts'
import type { PlannedTransaction } from '../chain/transition/buildInput.ts'
import { keyToText, textToKey } from '../storage/keyText.ts'
import type { PooledTransaction } from '../txpool/contract.ts'
import type { DevBlobs } from './contract.ts'

interface Mined {
  /** One per blob. */
  readonly versionedHashes: readonly string[]
  readonly blobs: readonly Uint8Array[]
  readonly bytes: number
}

export class MinedBlobs implements DevBlobs {
  /** By transaction hash, oldest first. */
  readonly #transactions = new Map<string, Mined>()
  #bytes = 0

  /** @param included transactions of the pool */
  add(included: readonly PlannedTransaction[]): void {
    for (const planned of included) {
      const { transaction, hash } = planned
      if (transaction.type !== 3) continue
      const { sidecar } = planned as PooledTransaction
      if (sidecar === undefined) continue
      const bytes = sidecar.blobs.reduce((sum, blob) => sum + blob.length, 0)
      const versionedHashes = transaction.blobVersionedHashes.map(keyToText)
      this.#delete(keyToText(hash))
      this.#transactions.set(keyToText(hash), { versionedHashes, blobs: sidecar.blobs, bytes })
      this.#bytes += bytes
    }
    for (const [oldest] of this.#transactions) {
      if (this.#bytes <= MAX_MINED_BLOB_BYTES) return
      this.#delete(oldest)
    }
  }

  ofTransaction(hash: Uint8Array): readonly Uint8Array[] | undefined {
    return this.#transactions.get(keyToText(hash))?.blobs
  }

  byVersionedHash(
    versionedHash: Uint8Array,
    isMined: (transactionHash: Uint8Array) => boolean,
  ): Uint8Array | undefined {
    const hashText = keyToText(versionedHash)
    for (const [key, { versionedHashes, blobs }] of this.#transactions) {
      const blob = blobs[versionedHashes.indexOf(hashText)]
      if (blob !== undefined && isMined(textToKey(key))) return blob
    }
    return undefined
  }

  #delete(key: string): void {
    this.#bytes -= this.#transactions.get(key)?.bytes ?? 0
    this.#transactions.delete(key)
  }
}
