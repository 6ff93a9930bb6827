/**
 * Subscriptions of all connections.
 * @see docs/reference/rpc-envelope.md section 11
 * @module
 */

import {
  MAX_NOTIFYING_WORK,
  MAX_SUBSCRIPTION_CRITERIA,
  MAX_SUBSCRIPTIONS_PER_CONNECTION,
} from '../../base/limits/limits.ts'
import type { Residency } from '../../base/ports/keyValueStore.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { Emitter, Unsubscribe } from '../../base/primitives/events.ts'
import { ResidentTurns } from '../../storage/residentTurns.ts'
import { criteriaCount } from '../logFilter.ts'
import type { SyncStatus } from '../nodeInfo.ts'
import { Audience, type Subscription } from './audience.ts'
import type { FeedTexts } from './feedTexts.ts'
import type { FeedSources } from './filters.ts'
import { HeadFeed } from './headFeed.ts'
import { PoolFeed } from './poolFeed.ts'
import { SharedListener } from './sharedListener.ts'
import type { NotifyingWork, Subscriber, SubscriptionHub, SubscriptionRequest } from './subscriptionHub.ts'

/** Emitted by the synchronisation of the chain. */
export interface SyncEvents {
  /** undefined: in sync. */
  sync: SyncStatus | undefined
}

export interface SubscriptionsOptions extends FeedSources {
  /** undefined on a node that does not synchronise. */
  readonly syncEvents?: Pick<Emitter<SyncEvents>, 'on'>
  readonly texts: FeedTexts
  /** Needed over a store that is not fully resident. */
  readonly residency?: Residency
  /** Ids are higher. Default: 0 */
  readonly firstId?: bigint | undefined
  /** Receives errors that prevented a notification. */
  readonly onError: (error: unknown) => void
}

interface Active {
  readonly end: Unsubscribe
  /** Number of addresses and topics. */
  readonly criteria: number
}

interface Connection {
  readonly active: Map<bigint, Active>
  criteria: number
  isGone: boolean
}

export class Subscriptions implements SubscriptionHub {
  readonly #connections = new Map<Subscriber, Connection>()
  readonly #heads: HeadFeed
  readonly #pool: PoolFeed
  readonly #sync: Audience
  readonly #onError: (error: unknown) => void
  #lastId: bigint
  /** Unfinished work of all connections. */
  #working = 0

  constructor(options: SubscriptionsOptions) {
    const { chain, chainEvents, poolEvents, syncEvents, texts, residency, firstId = 0n, onError } = options
    this.#lastId = firstId
    this.#heads = new HeadFeed(chain, chainEvents, new ResidentTurns(residency, onError), texts)
    this.#onError = onError
    this.#pool = new PoolFeed(poolEvents, texts)
    this.#sync = new Audience(
      new SharedListener(() => {
        const tell = (status: SyncStatus | undefined) => this.#sync.send(texts.syncing(status))
        return syncEvents?.on('sync', tell) ?? (() => {})
      }),
      texts,
    )
  }

  /**
   * Tells of another chain from now on.
   * @param residency of its store
   */
  follow({ chain, chainEvents, poolEvents }: FeedSources, residency: Residency | undefined): void {
    this.#heads.follow(chain, chainEvents, new ResidentTurns(residency, this.#onError))
    this.#pool.follow(poolEvents)
  }

  subscribe(subscriber: Subscriber, request: SubscriptionRequest, known?: bigint): bigint {
    const connection = this.#connections.get(subscriber) ?? this.#connect(subscriber)
    const criteria = request.kind === 'logs' ? criteriaCount(request.filter) : 0
    if (
      connection.active.size >= MAX_SUBSCRIPTIONS_PER_CONNECTION ||
      connection.criteria + criteria > MAX_SUBSCRIPTION_CRITERIA
    ) {
      throw new NodeError({ code: 'TOO_MANY_SUBSCRIPTIONS' }, 'too many subscriptions on this connection')
    }
    if (request.kind === 'work' && this.#working >= MAX_NOTIFYING_WORK) {
      throw new NodeError({ code: 'TOO_MANY_SUBSCRIPTIONS' }, 'too many subscriptions trace the chain')
    }
    const id = known ?? this.#lastId + 1n
    if (id > this.#lastId) this.#lastId = id
    // A closed connection receives no notifications.
    if (connection.isGone) return id
    connection.active.set(id, { end: this.#join({ id, subscriber }, request), criteria })
    connection.criteria += criteria
    return id
  }

  unsubscribe(subscriber: Subscriber, id: bigint): boolean {
    const connection = this.#connections.get(subscriber)
    const active = connection?.active.get(id)
    if (connection === undefined || active === undefined) return false
    connection.active.delete(id)
    connection.criteria -= active.criteria
    active.end()
    return true
  }

  #connect(subscriber: Subscriber): Connection {
    const connection: Connection = { active: new Map(), criteria: 0, isGone: false }
    this.#connections.set(subscriber, connection)
    subscriber.onClose(() => {
      connection.isGone = true
      this.#connections.delete(subscriber)
      for (const { end } of connection.active.values()) end()
      connection.active.clear()
    })
    return connection
  }

  #join(subscription: Subscription, request: SubscriptionRequest): Unsubscribe {
    switch (request.kind) {
      case 'newHeads':
        return this.#heads.joinBlocks(subscription, request.includeTransactions)
      case 'logs':
        return this.#heads.joinLogs(subscription, request.filter)
      case 'newPendingTransactions':
        return this.#pool.joinAdded(subscription, request.includeTransactions)
      case 'droppedPendingTransactions':
        return this.#pool.joinDropped(subscription)
      case 'syncing':
        return this.#sync.join(subscription)
      case 'work':
        return this.#begin(subscription, request.start)
    }
  }

  #begin({ id }: Subscription, start: (id: bigint) => NotifyingWork): Unsubscribe {
    this.#working++
    const work = start(id)
    const ended = (): void => {
      this.#working--
    }
    work.done.then(ended, (error) => {
      ended()
      this.#onError(error)
    })
    return () => work.cancel()
  }
}
