import { BinaryHeap } from '../base/primitives/binaryHeap.ts'
import type { PoolEntry, PoolIndex } from './poolIndex.ts'
import { isEvictedBefore, type RankedEntry, rank } from './priority.ts'

export interface PoolBounds {
  /** Maximum number of transactions. */
  readonly maxSize: number
  /** Maximum total size of all transactions in bytes. */
  readonly maxBytes: number
}

/** Number of outdated entries allowed in the heap in addition to the number of pooled transactions. */
const SPARE_ENTRIES = 64

/**
 * Eviction order of a full pool. The heap is built lazily on first overflow and rebuilt when the base fee changes;
 * entries removed otherwise are skipped when popped.
 */
export class EvictionOrder {
  readonly #index: PoolIndex
  #heap: BinaryHeap<RankedEntry> | undefined
  #baseFee: bigint | undefined

  constructor(index: PoolIndex) {
    this.#index = index
  }

  /** Registers a pooled entry. */
  added(entry: PoolEntry): void {
    const heap = this.#heap
    if (heap === undefined) return
    if (heap.size > 2 * this.#index.size + SPARE_ENTRIES) this.#heap = undefined
    else heap.push(rank(entry, this.#baseFee))
  }

  /**
   * Selects entries to evict: the lowest, with all higher nonces of its sender, until the newcomer fits. Changes
   * nothing.
   * @param replaced is removed in any case
   * @returns undefined when the newcomer itself would be evicted
   */
  victimsFor(
    newcomer: PoolEntry,
    replaced: PoolEntry | undefined,
    bounds: PoolBounds,
    baseFee: bigint | undefined,
  ): PoolEntry[] | undefined {
    let size = this.#index.size + (replaced === undefined ? 1 : 0)
    let byteLength = this.#index.byteLength + newcomer.byteLength - (replaced?.byteLength ?? 0)
    if (size <= bounds.maxSize && byteLength <= bounds.maxBytes) return []
    const heap = this.#current(baseFee)
    const ranked = rank(newcomer, baseFee)
    const seen: RankedEntry[] = []
    const victims = new Set<PoolEntry>()
    let isRefused = false
    while (!isRefused && (size > bounds.maxSize || byteLength > bounds.maxBytes)) {
      const lowest = heap.pop()
      if (lowest === undefined) {
        isRefused = true
        break
      }
      const { entry } = lowest
      if (!this.#index.holds(entry)) continue
      seen.push(lowest)
      if (entry === replaced || victims.has(entry)) continue
      isRefused = isEvictedBefore(ranked, lowest) || isLaterOfSameSender(newcomer, entry)
      if (isRefused) break
      for (const victim of this.#index.from(entry.senderKey, entry.transaction.nonce)) {
        if (victim === replaced || victims.has(victim)) continue
        victims.add(victim)
        size--
        byteLength -= victim.byteLength
      }
    }
    for (const item of seen) heap.push(item)
    return isRefused ? undefined : [...victims]
  }

  clear(): void {
    this.#heap = undefined
  }

  #current(baseFee: bigint | undefined): BinaryHeap<RankedEntry> {
    if (this.#heap === undefined || this.#baseFee !== baseFee) {
      const items = Array.from(this.#index.entries(), (entry) => rank(entry, baseFee))
      this.#heap = new BinaryHeap(isEvictedBefore, items)
      this.#baseFee = baseFee
    }
    return this.#heap
  }
}

function isLaterOfSameSender(newcomer: PoolEntry, entry: PoolEntry): boolean {
  return newcomer.senderKey === entry.senderKey && newcomer.transaction.nonce >= entry.transaction.nonce
}
