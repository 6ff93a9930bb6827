/**
 * Which transactions leave a full pool. Those that wait for a nonce or for funds leave before those that a block could
 * include, whatever they offer to pay, so they cannot fill the pool. Blobs have a budget of their own.
 * @module
 */
import { BinaryHeap } from '../base/primitives/binaryHeap.ts'
import { maxCost } from '../chain/transition/validateTransaction.ts'
import type { Account } from '../evm/stateDb.ts'
import type { BlockPrices } from './contract.ts'
import type { PoolEntry, PoolIndex } from './poolIndex.ts'
import { isEvictedBefore, paysForBlobs, type RankedEntry, rank } from './priority.ts'

export interface PoolBounds {
  /** Maximum number of transactions. */
  readonly maxSize: number
  /** Maximum total size of all transactions in bytes. */
  readonly maxBytes: number
  /** Maximum total size of transactions with blobs, bytes. */
  readonly maxBlobBytes: number
}

/** The state and the prices that decide which transactions the next block can include. */
export interface Market {
  /** Compared by identity: accounts are read once for each head. */
  readonly head: object
  readonly prices: BlockPrices
  /** The account at the head. May throw `StoreMiss`. */
  accountOf(sender: Uint8Array): Pick<Account, 'nonce' | 'balance'> | undefined
}

type Funds = Pick<Account, 'nonce' | 'balance'>

const NO_FUNDS: Funds = { nonce: 0n, balance: 0n }
/** Number of outdated entries allowed in the heap in addition to the number of pooled transactions. */
const SPARE_ENTRIES = 64

/**
 * Eviction order of a full pool. The heap is built lazily on first overflow and rebuilt for another head or base fee;
 * entries removed otherwise are skipped when popped.
 */
export class EvictionOrder {
  readonly #index: PoolIndex
  #heap: BinaryHeap<RankedEntry> | undefined
  #head: object | undefined
  #baseFee: bigint | undefined
  /** By sender, at the head. */
  readonly #funds = new Map<string, Funds>()
  /** Of each entry in the heap, whether no block could include it now. */
  readonly #isWaiting = new Map<PoolEntry, boolean>()
  /** Senders whose entries must be ranked again. */
  readonly #changed = new Set<string>()

  constructor(index: PoolIndex) {
    this.#index = index
  }

  /** Called after an entry has been added to the index, or removed from it. */
  changed(entry: PoolEntry): void {
    if (this.#heap === undefined) return
    this.#isWaiting.delete(entry)
    this.#changed.add(entry.senderKey)
  }

  /**
   * Selects entries to evict: the lowest, with all higher nonces of its sender, until the newcomer fits. A newcomer with
   * blobs evicts only entries with blobs. Changes nothing.
   * @param replaced is removed in any case
   * @returns undefined when the newcomer itself would be evicted
   * @throws {StoreMiss} the call can be repeated
   */
  victimsFor(
    newcomer: PoolEntry,
    replaced: PoolEntry | undefined,
    bounds: PoolBounds,
    market: Market,
  ): PoolEntry[] | undefined {
    const room = new Room(this.#index, newcomer, replaced, bounds)
    if (room.isEnough) return []
    const heap = this.#current(market)
    const ranked = rank(newcomer, market.prices.baseFeePerGas, this.#wouldWait(newcomer, market))
    const seen: RankedEntry[] = []
    const victims = new Set<PoolEntry>()
    let isRefused = false
    while (!isRefused && !room.isEnough) {
      const lowest = heap.pop()
      if (lowest === undefined) {
        isRefused = true
        break
      }
      const { entry } = lowest
      if (lowest.isWaiting !== this.#isWaiting.get(entry)) continue
      seen.push(lowest)
      if (entry === replaced || victims.has(entry) || !room.isGainedBy(entry)) continue
      isRefused = isEvictedBefore(ranked, lowest) || isLaterOfSameSender(newcomer, entry)
      if (isRefused) break
      for (const victim of this.#index.from(entry.senderKey, entry.transaction.nonce)) {
        if (victim === replaced || victims.has(victim) || !room.isGainedBy(victim)) continue
        victims.add(victim)
        room.gain(victim)
      }
    }
    for (const item of seen) heap.push(item)
    return isRefused ? undefined : [...victims]
  }

  clear(): void {
    this.#heap = undefined
    this.#head = undefined
    this.#funds.clear()
    this.#isWaiting.clear()
    this.#changed.clear()
  }

  #current(market: Market): BinaryHeap<RankedEntry> {
    const { baseFeePerGas } = market.prices
    if (this.#head !== market.head) {
      this.clear()
      this.#head = market.head
    }
    if (this.#baseFee !== baseFeePerGas || this.#isOversized()) this.#heap = undefined
    if (this.#heap !== undefined) {
      this.#rankChanged(this.#heap, market)
      return this.#heap
    }
    this.#isWaiting.clear()
    this.#changed.clear()
    const items: RankedEntry[] = []
    for (const entries of this.#index.senderEntries()) this.#rankSender(entries, market, (item) => items.push(item))
    this.#heap = new BinaryHeap(isEvictedBefore, items)
    this.#baseFee = baseFeePerGas
    return this.#heap
  }

  #isOversized(): boolean {
    return (this.#heap?.size ?? 0) > 2 * this.#index.size + SPARE_ENTRIES
  }

  #rankChanged(heap: BinaryHeap<RankedEntry>, market: Market): void {
    for (const senderKey of this.#changed) {
      this.#rankSender(this.#index.ofSender(senderKey), market, (item) => heap.push(item))
      this.#changed.delete(senderKey)
    }
  }

  /** Passes on the entries of a sender that are not in the heap as they are. */
  #rankSender(entries: readonly PoolEntry[], market: Market, push: (item: RankedEntry) => void): void {
    const end = this.#executableEnd(entries, market)
    for (const entry of entries) {
      const isWaiting = entry.transaction.nonce >= end
      if (this.#isWaiting.get(entry) === isWaiting) continue
      this.#isWaiting.set(entry, isWaiting)
      push(rank(entry, market.prices.baseFeePerGas, isWaiting))
    }
  }

  #wouldWait(newcomer: PoolEntry, market: Market): boolean {
    const { senderKey, transaction } = newcomer
    const before = this.#index.below(senderKey, transaction.nonce)
    return transaction.nonce >= this.#executableEnd([...before, newcomer], market)
  }

  /**
   * The first nonce of a sender that a block could not include: it does not follow, the costs up to it exceed the
   * balance, or it pays too little for its blobs.
   * @param entries ascending by nonce
   */
  #executableEnd(entries: readonly PoolEntry[], market: Market): bigint {
    const [first] = entries
    if (first === undefined) return 0n
    const { nonce, balance } = this.#fundsOf(first, market)
    let next = nonce
    let left = balance
    for (const { transaction } of entries) {
      if (transaction.nonce < next) continue
      left -= maxCost(transaction)
      if (transaction.nonce > next || left < 0n || !paysForBlobs(transaction, market.prices)) return next
      next++
    }
    return next
  }

  #fundsOf({ sender, senderKey }: PoolEntry, market: Market): Funds {
    let funds = this.#funds.get(senderKey)
    if (funds === undefined) {
      funds = market.accountOf(sender) ?? NO_FUNDS
      if (this.#funds.size > 2 * this.#index.size + SPARE_ENTRIES) this.#funds.clear()
      this.#funds.set(senderKey, funds)
    }
    return funds
  }
}

/** Whether a newcomer fits, while entries make room for it. */
class Room {
  readonly #bounds: PoolBounds
  readonly #hasBlobs: boolean
  #size: number
  #bytes: number
  #blobBytes: number

  constructor(index: PoolIndex, newcomer: PoolEntry, replaced: PoolEntry | undefined, bounds: PoolBounds) {
    this.#bounds = bounds
    this.#hasBlobs = hasBlobs(newcomer)
    this.#size = index.size + 1
    this.#bytes = index.byteLength + newcomer.byteLength
    this.#blobBytes = index.blobByteLength + (this.#hasBlobs ? newcomer.byteLength : 0)
    if (replaced !== undefined) this.gain(replaced)
  }

  get isEnough(): boolean {
    const { maxSize, maxBytes, maxBlobBytes } = this.#bounds
    const isWithin = this.#size <= maxSize && this.#bytes <= maxBytes
    return isWithin && (!this.#hasBlobs || this.#blobBytes <= maxBlobBytes)
  }

  /** Whether the newcomer may take the place of an entry. */
  isGainedBy(entry: PoolEntry): boolean {
    return !this.#hasBlobs || hasBlobs(entry)
  }

  gain(entry: PoolEntry): void {
    this.#size--
    this.#bytes -= entry.byteLength
    if (hasBlobs(entry)) this.#blobBytes -= entry.byteLength
  }
}

function hasBlobs({ transaction }: PoolEntry): boolean {
  return transaction.type === 3
}

function isLaterOfSameSender(newcomer: PoolEntry, entry: PoolEntry): boolean {
  return newcomer.senderKey === entry.senderKey && newcomer.transaction.nonce >= entry.transaction.nonce
}
