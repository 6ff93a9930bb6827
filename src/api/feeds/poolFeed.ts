/**
 * Notifications of transactions that come into the pool and leave it without being mined.
 * @see rpc-envelope.md section 11
 * @module
 */
import type { Emitter, Unsubscribe } from '../../events/events.ts'
import { bytesToHex } from '../../primitives/bytes.ts'
import { serializeTransactionDetail, serializeWaitingTransaction } from '../../rpc/codecs/transaction.ts'
import type { PoolEvents, PooledTransaction } from '../../txpool/contract.ts'
import type { RpcProfile } from '../profile.ts'
import { Audience, type Subscription } from './audience.ts'
import { SharedListener } from './sharedListener.ts'

export class PoolFeed {
  readonly #profile: RpcProfile
  readonly #addedHashes: Audience
  readonly #addedTransactions: Audience
  readonly #droppedHashes: Audience

  constructor(events: Emitter<PoolEvents>, profile: RpcProfile) {
    this.#profile = profile
    const added = new SharedListener(() => events.on('added', (pooled) => this.#onAdded(pooled)))
    const dropped = new SharedListener(() => events.on('dropped', ({ pooled }) => this.#onDropped(pooled)))
    this.#addedHashes = new Audience(added)
    this.#addedTransactions = new Audience(added)
    this.#droppedHashes = new Audience(dropped)
  }

  /** @param includeTransactions the transactions instead of their hashes */
  joinAdded(subscription: Subscription, includeTransactions: boolean): Unsubscribe {
    return (includeTransactions ? this.#addedTransactions : this.#addedHashes).join(subscription)
  }

  joinDropped(subscription: Subscription): Unsubscribe {
    return this.#droppedHashes.join(subscription)
  }

  #onAdded({ transaction, hash, sender }: PooledTransaction): void {
    if (!this.#addedHashes.isEmpty) this.#addedHashes.send(`"${bytesToHex(hash)}"`)
    if (this.#addedTransactions.isEmpty) return
    const view = { transaction, hash, from: sender }
    const json = this.#profile === 'geth' ? serializeWaitingTransaction(view) : serializeTransactionDetail(view)
    this.#addedTransactions.send(JSON.stringify(json))
  }

  #onDropped({ hash }: PooledTransaction): void {
    this.#droppedHashes.send(`"${bytesToHex(hash)}"`)
  }
}
