/**
 * Subscriptions of WebSocket connections.
 * @see docs/reference/rpc-envelope.md section 11
 * @module
 */
import type { LogFilter } from '../logFilter.ts'

/** A connection that can receive notifications. */
export interface Subscriber {
  /** Sends one JSON text. Never throws: the owner closes a connection that is lost or too slow. */
  send(text: string): void
  /** Calls `listener` once when the connection closes; synchronously when it is already closed. */
  onClose(listener: () => void): void
  /** Whether earlier output is still unread; work that notifies waits meanwhile. */
  readonly isBehind?: boolean
}

/** Work that notifies its subscriber until it is done or cancelled. */
export interface NotifyingWork {
  readonly done: Promise<void>
  cancel(): void
}

/** Kinds of subscriptions. */
export type SubscriptionRequest =
  | { readonly kind: 'newHeads'; readonly includeTransactions: boolean }
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'newPendingTransactions'; readonly includeTransactions: boolean }
  | { readonly kind: 'droppedPendingTransactions' }
  | { readonly kind: 'syncing' }
  | { readonly kind: 'work'; readonly start: (id: bigint) => NotifyingWork }

export interface SubscriptionHub {
  /**
   * Ids ascend across all connections of the process. Subscriptions end with the connection.
   * @param known id of a subscription that began in an earlier process; default: a new one
   * @throws {NodeError} TOO_MANY_SUBSCRIPTIONS
   */
  subscribe(subscriber: Subscriber, request: SubscriptionRequest, known?: bigint): bigint
  /** @returns false when the id is unknown or belongs to another connection */
  unsubscribe(subscriber: Subscriber, id: bigint): boolean
}
