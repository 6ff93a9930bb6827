/**
 * The transaction pool: admits, orders, replaces and evicts transactions, and follows the chain.
 * @module
 */

import { MINED_MEMORY_BYTES } from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import { Emitter, type Unsubscribe } from '../base/primitives/events.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import type { ChainEvents, ChainReader } from '../chain/contract.ts'
import { ResidentTurns } from '../storage/residentTurns.ts'
import type { AdmissionError } from './admission.ts'
import { AdmissionPlanner, type AdmissionRefusal, type PlannerOptions } from './admissionPlanner.ts'
import type {
  BlockPrices,
  DropReason,
  IncomingTransaction,
  PoolEvents,
  PooledTransaction,
  PoolOrder,
  PoolReader,
  PoolSettings,
  TransactionQueue,
} from './contract.ts'
import { EvictionOrder } from './evictionOrder.ts'
import { ExecutableQueue, type NonceOf } from './executableQueue.ts'
import { type ReturnedTransaction, readHeadChange, readUsed } from './headChange.ts'
import { mapKey, type PoolEntry, PoolIndex } from './poolIndex.ts'

export interface PoolOptions extends PlannerOptions {
  readonly chain: ChainReader & { readonly events: Emitter<ChainEvents> }
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: PoolSettings
  /** Needed over stores that are not resident, to follow the chain. */
  readonly residency?: Residency
}

export type AdmissionVerdict = { readonly kind: 'admitted'; readonly pooled: PooledTransaction } | AdmissionRefusal

/** Memory of an entry in addition to its encoding (estimate). */
const ENTRY_BYTES = 1024

export class TransactionPool implements PoolReader {
  readonly events: Emitter<PoolEvents>
  readonly #options: PoolOptions
  readonly #index = new PoolIndex()
  readonly #eviction = new EvictionOrder(this.#index)
  readonly #planner: AdmissionPlanner
  /** Mined entries, restored unchanged when their blocks are removed. */
  readonly #mined = new LruCache<string, PoolEntry>(MINED_MEMORY_BYTES)
  readonly #turns: ResidentTurns
  readonly #unsubscribe: Unsubscribe
  #settings: PoolSettings
  #sequence = 0
  /** Number of running changes of the head whose removed transactions are not restored. */
  #withoutReinsertion = 0

  constructor(options: PoolOptions) {
    const { chain, logger, residency, settings } = options
    this.#options = options
    this.#settings = settings
    this.#planner = new AdmissionPlanner(options, this.#index, this.#eviction)
    this.events = new Emitter((error) => logger.error('a pool-event listener threw', { error }))
    this.#turns = new ResidentTurns(residency, (error) =>
      logger.error('the pool failed to follow the chain', { error }),
    )
    this.#unsubscribe = chain.events.on('head', (event) => {
      const reinserts = this.#withoutReinsertion === 0
      this.#turns.run(() => this.#follow(event, reinserts))
    })
  }

  get settings(): PoolSettings {
    return this.#settings
  }

  get size(): number {
    return this.#index.size
  }

  get localCount(): number {
    return this.#index.localCount
  }

  get maxSize(): number {
    return this.#settings.maxSize
  }

  byHash(hash: Uint8Array): PooledTransaction | undefined {
    return this.#index.get(mapKey(hash))
  }

  nextNonce(sender: Uint8Array): bigint | undefined {
    return this.#index.nextNonce(mapKey(sender))
  }

  transactions(): Iterable<PooledTransaction> {
    return this.#index.entries()
  }

  *senders(): Generator<Uint8Array, void, undefined> {
    for (const [first] of this.#index.senderEntries()) yield (first as PoolEntry).sender
  }

  bySender(sender: Uint8Array): readonly PooledTransaction[] {
    return this.#index.from(mapKey(sender), 0n)
  }

  /** @param minGasPrice wei; applies to transactions admitted later */
  setMinGasPrice(minGasPrice: bigint): void {
    this.#settings = { ...this.#settings, minGasPrice }
  }

  /**
   * Checks a transaction against the head and admits it. All reads precede all changes: the call can be repeated after
   * a `StoreMiss`.
   * @param addedAtMs wall clock; given for transactions of an earlier run of the node
   */
  admit(incoming: IncomingTransaction, addedAtMs: number = this.#options.clock.now()): AdmissionVerdict {
    this.#expire()
    const plan = this.#planner.plan(incoming, this.#settings, addedAtMs, this.#sequence)
    if (plan.kind === 'refused') return plan
    const { entry, replaced, victims } = plan
    if (replaced !== undefined) this.#delete(replaced)
    for (const victim of victims) this.#delete(victim)
    this.#index.add(entry)
    this.#eviction.changed(entry)
    this.#planner.admitted(entry)
    this.#sequence++
    if (replaced !== undefined) this.events.emit('dropped', { pooled: replaced, reason: 'replaced' })
    for (const pooled of victims) this.events.emit('dropped', { pooled, reason: 'evicted' })
    this.events.emit('added', entry)
    return { kind: 'admitted', pooled: entry }
  }

  /** Performs the checks of {@link admit} without changes, before expensive preparations. */
  check(incoming: IncomingTransaction): AdmissionError | undefined {
    const plan = this.#planner.plan(incoming, this.#settings, 0, this.#sequence)
    return plan.kind === 'refused' ? plan.error : undefined
  }

  /**
   * Removes a transaction. With `invalid` the sender's later ones are removed, too: they could not be executed.
   * @returns undefined when it is not in the pool
   */
  remove(hash: Uint8Array, reason: DropReason = 'removed'): PooledTransaction | undefined {
    const entry = this.#index.get(mapKey(hash))
    if (entry === undefined) return undefined
    const { senderKey, transaction } = entry
    if (reason !== 'invalid') this.#drop([entry], reason)
    else {
      this.#planner.invalid(entry)
      this.#drop(this.#index.from(senderKey, transaction.nonce), reason)
    }
    return entry
  }

  /** Removes expired transactions, and those whose nonce was used without a transaction of the sender (EIP-7702). */
  sweep(): void {
    this.#expire()
    const { chain, states } = this.#options
    this.#drop(readUsed(chain.head, states, this.#index), 'invalid')
  }

  /** Removes all transactions, and the records of mined and invalid ones. */
  clear(): void {
    this.#mined.clear()
    this.#planner.clear()
    this.#eviction.clear()
    this.#drop([...this.#index.entries()], 'removed')
  }

  /**
   * The transactions for a block in order.
   * @param nonceOf nonce of an account in the block's initial state; may throw `StoreMiss` only on its first call
   */
  best(prices: BlockPrices, nonceOf: NonceOf, order: PoolOrder = 'price'): TransactionQueue {
    return new ExecutableQueue(this.#index, prices, nonceOf, order)
  }

  /** Changes the head by `work`; transactions of removed blocks are not restored. */
  async withoutReinsertion<T>(work: () => T | Promise<T>): Promise<T> {
    this.#withoutReinsertion++
    try {
      return await work()
    } finally {
      this.#withoutReinsertion--
    }
  }

  /** Stops following the chain. Resolves when pending updates are complete. */
  close(): Promise<void> {
    this.#unsubscribe()
    return this.#turns.settled()
  }

  #delete(entry: PoolEntry): void {
    this.#index.delete(entry)
    this.#eviction.changed(entry)
  }

  #expire(): void {
    const before = this.#options.clock.now() - this.#settings.retentionMs
    for (let oldest = this.#index.oldest(); oldest !== undefined; oldest = this.#index.oldest()) {
      if (oldest.addedAtMs > before) return
      this.#drop([oldest], 'expired')
    }
  }

  #drop(entries: readonly PoolEntry[], reason: DropReason): void {
    for (const entry of entries) this.#delete(entry)
    for (const pooled of entries) this.events.emit('dropped', { pooled, reason })
  }

  #follow(event: ChainEvents['head'], reinserts: boolean): void {
    const { chain, states } = this.#options
    const { mined, overtaken, returned } = readHeadChange(
      event,
      chain,
      states,
      this.#index,
      reinserts ? this.maxSize : 0,
    )
    for (const entry of mined) {
      this.#delete(entry)
      this.#mined.set(entry.key, entry, entry.byteLength + ENTRY_BYTES)
    }
    for (const entry of overtaken) this.#delete(entry)
    for (const entry of mined) this.events.emit('mined', entry)
    for (const pooled of overtaken) this.events.emit('dropped', { pooled, reason: 'invalid' })
    for (const transaction of returned) this.#turns.run(() => this.#readmit(transaction))
  }

  /** Remote unless it is known to be local. */
  #readmit({ transaction, hash, sender }: ReturnedTransaction): void {
    const mined = this.#mined.get(mapKey(hash))
    const sidecar = mined?.sidecar
    const verdict = this.admit({
      transaction,
      isLocal: mined?.isLocal ?? false,
      isReturning: true,
      ...(sidecar === undefined ? {} : { sidecar }),
      ...(mined === undefined ? {} : { encoding: mined.encoding }),
      ...(mined?.isImpersonated ? { impersonatedSender: sender } : { sender }),
    })
    if (verdict.kind === 'admitted') return
    this.#options.logger.debug('a transaction of a removed block was not restored to the pool', {
      code: verdict.error.code,
      hash,
    })
  }
}
