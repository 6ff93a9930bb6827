/**
 * The transactions of the pool by hash, and by sender and nonce.
 * @module
 */
import { keyToText } from '../storage/keyText.ts'
import type { PooledTransaction } from './contract.ts'

/** A pooled transaction with derived values for the pool. */
export interface PoolEntry extends PooledTransaction {
  /** Hash and sender as map keys (storage/keyText.ts). */
  readonly key: string
  readonly senderKey: string
  /** Size of encoding and sidecar. */
  readonly byteLength: number
}

export class PoolIndex {
  /** In order of admission. */
  readonly #byHash = new Map<string, PoolEntry>()
  /** Ascending by nonce, never empty. */
  readonly #bySender = new Map<string, PoolEntry[]>()
  #localCount = 0
  #byteLength = 0
  #blobByteLength = 0

  get size(): number {
    return this.#byHash.size
  }

  get localCount(): number {
    return this.#localCount
  }

  /** Total size of all transactions. */
  get byteLength(): number {
    return this.#byteLength
  }

  /** Total size of the transactions with blobs. */
  get blobByteLength(): number {
    return this.#blobByteLength
  }

  get(key: string): PoolEntry | undefined {
    return this.#byHash.get(key)
  }

  /** Whether this very entry is still in the pool. */
  holds(entry: PoolEntry): boolean {
    return this.#byHash.get(entry.key) === entry
  }

  /** The first admitted transaction. */
  oldest(): PoolEntry | undefined {
    for (const entry of this.#byHash.values()) return entry
    return undefined
  }

  /** In order of admission. */
  entries(): IterableIterator<PoolEntry> {
    return this.#byHash.values()
  }

  /** The transactions of each sender, ascending by nonce. */
  senderEntries(): IterableIterator<readonly PoolEntry[]> {
    return this.#bySender.values()
  }

  /** Ascending by nonce; a live view. */
  ofSender(senderKey: string): readonly PoolEntry[] {
    return this.#bySender.get(senderKey) ?? []
  }

  at(senderKey: string, nonce: bigint): PoolEntry | undefined {
    const entries = this.ofSender(senderKey)
    const entry = entries[lowerBound(entries, nonce)]
    return entry?.transaction.nonce === nonce ? entry : undefined
  }

  /** The sender's transactions from a nonce on, ascending; a copy. */
  from(senderKey: string, nonce: bigint): PoolEntry[] {
    const entries = this.ofSender(senderKey)
    return entries.slice(lowerBound(entries, nonce))
  }

  /** The sender's transactions below a nonce, ascending; a copy. */
  below(senderKey: string, nonce: bigint): PoolEntry[] {
    const entries = this.ofSender(senderKey)
    return entries.slice(0, lowerBound(entries, nonce))
  }

  /** First nonce after the sender's lowest that is not in use. */
  nextNonce(senderKey: string): bigint | undefined {
    const entries = this.ofSender(senderKey)
    const first = entries[0]?.transaction.nonce
    if (first === undefined) return undefined
    // Before the first gap, an entry's index is its nonce's distance from the first nonce.
    let low = 0
    let high = entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (entries[middle]?.transaction.nonce === first + BigInt(middle)) low = middle + 1
      else high = middle
    }
    return first + BigInt(low)
  }

  /** Adds an entry whose hash is absent and whose nonce is unused. */
  add(entry: PoolEntry): void {
    this.#byHash.set(entry.key, entry)
    const entries = this.#bySender.get(entry.senderKey)
    if (entries === undefined) this.#bySender.set(entry.senderKey, [entry])
    else entries.splice(lowerBound(entries, entry.transaction.nonce), 0, entry)
    if (entry.isLocal) this.#localCount++
    this.#byteLength += entry.byteLength
    if (entry.transaction.type === 3) this.#blobByteLength += entry.byteLength
  }

  /** Removes an existing entry. */
  delete(entry: PoolEntry): void {
    this.#byHash.delete(entry.key)
    const entries = this.#bySender.get(entry.senderKey) as PoolEntry[]
    if (entries.length === 1) this.#bySender.delete(entry.senderKey)
    else entries.splice(lowerBound(entries, entry.transaction.nonce), 1)
    if (entry.isLocal) this.#localCount--
    this.#byteLength -= entry.byteLength
    if (entry.transaction.type === 3) this.#blobByteLength -= entry.byteLength
  }

  clear(): void {
    this.#byHash.clear()
    this.#bySender.clear()
    this.#localCount = 0
    this.#byteLength = 0
    this.#blobByteLength = 0
  }
}

/** Map key of an address or a hash. */
export const mapKey: (bytes: Uint8Array) => string = keyToText

/** Index of the first entry whose nonce is not lower. */
function lowerBound(entries: readonly PoolEntry[], nonce: bigint): number {
  let low = 0
  let high = entries.length
  // Most transactions have the highest nonce of their sender.
  if (high > 0 && (entries[high - 1] as PoolEntry).transaction.nonce < nonce) return high
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle] as PoolEntry).transaction.nonce < nonce) low = middle + 1
    else high = middle
  }
  return low
}
