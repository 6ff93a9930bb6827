import { BinaryHeap } from '../base/primitives/binaryHeap.ts'
import type { BlockPrices, PooledTransaction, PoolOrder, TransactionQueue } from './contract.ts'
import type { PoolEntry, PoolIndex } from './poolIndex.ts'
import { goesBeforeByAdmission, goesBeforeByPrice, paysPrices, type RankedEntry, rank } from './priority.ts'

/** Returns a sender's next nonce. */
export type NonceOf = (sender: Uint8Array) => bigint

/**
 * The executable transactions of a pool, one per sender at a time. A transaction that does not pay the prices blocks
 * the sender's later ones. The pool may change meanwhile: removed entries are skipped.
 */
export class ExecutableQueue implements TransactionQueue {
  readonly #index: PoolIndex
  readonly #prices: BlockPrices
  readonly #heap: BinaryHeap<RankedEntry>

  constructor(index: PoolIndex, prices: BlockPrices, nonceOf: NonceOf, order: PoolOrder) {
    this.#index = index
    this.#prices = prices
    const first: RankedEntry[] = []
    for (const [lowest] of index.senderEntries()) {
      const { sender, senderKey } = lowest as PoolEntry
      const entry = index.at(senderKey, nonceOf(sender))
      if (entry !== undefined && paysPrices(entry.transaction, prices)) first.push(rank(entry, prices.baseFeePerGas))
    }
    this.#heap = new BinaryHeap(order === 'price' ? goesBeforeByPrice : goesBeforeByAdmission, first)
  }

  peek(): PooledTransaction | undefined {
    for (;;) {
      const entry = this.#heap.peek()?.entry
      if (entry === undefined || this.#index.holds(entry)) return entry
      this.#heap.pop()
      this.#offer(entry.senderKey, entry.transaction.nonce)
    }
  }

  shift(): void {
    const entry = this.#heap.pop()?.entry
    if (entry !== undefined) this.#offer(entry.senderKey, entry.transaction.nonce + 1n)
  }

  skipSender(): void {
    this.#heap.pop()
  }

  #offer(senderKey: string, nonce: bigint): void {
    const entry = this.#index.at(senderKey, nonce)
    if (entry === undefined || !paysPrices(entry.transaction, this.#prices)) return
    this.#heap.push(rank(entry, this.#prices.baseFeePerGas))
  }
}
