/**
 * Subscriptions of WebSocket connections.
 * @see rpc-envelope.md section 11
 * @module
 */
import type { LogFilter } from '../logFilter.ts'

/** A connection that notifications can be sent over. */
export interface Subscriber {
  /** Sends one JSON text. Never throws: a connection that is gone or too slow is closed by its owner. */
  send(text: string): void
  /** Calls `listener` once, when the connection is gone; at once when it is gone already. */
  onClose(listener: () => void): void
}

/** What a connection may subscribe to. */
export type SubscriptionRequest =
  | { readonly kind: 'newHeads'; readonly includeTransactions: boolean }
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'newPendingTransactions'; readonly includeTransactions: boolean }
  | { readonly kind: 'droppedPendingTransactions' }
  | { readonly kind: 'syncing' }

export interface SubscriptionHub {
  /**
   * Ids count up through the process. They end with the connection.
   * @throws {NodeError} TOO_MANY_SUBSCRIPTIONS
   */
  subscribe(subscriber: Subscriber, request: SubscriptionRequest): bigint
  /** @returns false when the id is unknown or belongs to another connection */
  unsubscribe(subscriber: Subscriber, id: bigint): boolean
}
