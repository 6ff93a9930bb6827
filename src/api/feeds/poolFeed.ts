/**
 * Notifications of transactions that enter the pool, or leave it without being mined.
 * @see docs/reference/rpc-envelope.md section 11
 * @module
 */
import type { Emitter, Unsubscribe } from '../../base/primitives/events.ts'
import type { PoolEvents, PooledTransaction } from '../../txpool/contract.ts'
import { Audience, type Subscription } from './audience.ts'
import type { FeedTexts } from './feedTexts.ts'
import { SharedListener } from './sharedListener.ts'

export class PoolFeed {
  readonly #texts: FeedTexts
  readonly #added: SharedListener
  readonly #dropped: SharedListener
  #events: Emitter<PoolEvents>
  readonly #addedHashes: Audience
  readonly #addedTransactions: Audience
  readonly #droppedHashes: Audience

  constructor(events: Emitter<PoolEvents>, texts: FeedTexts) {
    this.#texts = texts
    this.#events = events
    this.#added = new SharedListener(() => this.#events.on('added', (pooled) => this.#onAdded(pooled)))
    this.#dropped = new SharedListener(() => this.#events.on('dropped', ({ pooled }) => this.#onDropped(pooled)))
    this.#addedHashes = new Audience(this.#added, texts)
    this.#addedTransactions = new Audience(this.#added, texts)
    this.#droppedHashes = new Audience(this.#dropped, texts)
  }

  /** Tells of another pool from now on. */
  follow(events: Emitter<PoolEvents>): void {
    this.#events = events
    this.#added.restart()
    this.#dropped.restart()
  }

  /** @param includeTransactions the transactions instead of their hashes */
  joinAdded(subscription: Subscription, includeTransactions: boolean): Unsubscribe {
    return (includeTransactions ? this.#addedTransactions : this.#addedHashes).join(subscription)
  }

  joinDropped(subscription: Subscription): Unsubscribe {
    return this.#droppedHashes.join(subscription)
  }

  #onAdded({ transaction, hash, sender }: PooledTransaction): void {
    if (!this.#addedHashes.isEmpty) this.#addedHashes.send(this.#texts.transactionHash(hash))
    if (this.#addedTransactions.isEmpty) return
    this.#addedTransactions.send(this.#texts.transaction({ transaction, hash, from: sender }))
  }

  #onDropped({ hash }: PooledTransaction): void {
    this.#droppedHashes.send(this.#texts.transactionHash(hash))
  }
}
