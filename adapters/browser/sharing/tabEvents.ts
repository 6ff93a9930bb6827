/**
 * Listeners of a tab: events of EIP-1193, and subscriptions.
 * @module
 */
import { Emitter, type Listener, type Unsubscribe } from '../../../src/base/primitives/events.ts'
import type { ProviderEvents, ProviderMessage, SubscriptionEvents } from '../../../src/rpc/providerContract.ts'
import type { TabSubscriptions } from './tabSubscriptions.ts'
import type { EventMessage } from './wire.ts'

export interface EventHost {
  /** Asks the node to report changes of the chain id and the accounts. */
  watch(): void
  /** undefined while there is no node */
  chainId(): string | undefined
}

const SUBSCRIPTIONS: Readonly<Record<keyof SubscriptionEvents, true>> = {
  newHeads: true,
  logs: true,
  newPendingTransactions: true,
  droppedPendingTransactions: true,
  syncing: true,
}

export class TabEvents {
  readonly #emitter = new Emitter<ProviderEvents>(throwLater)
  readonly #subscriptions: TabSubscriptions
  readonly #host: EventHost
  readonly #listeners = new Map<string, Map<unknown, Unsubscribe>>()
  isWatching = false

  constructor(subscriptions: TabSubscriptions, host: EventHost) {
    this.#subscriptions = subscriptions
    this.#host = host
  }

  /** `on(event, listener)` or `on(event, criteria, listener)` */
  on(event: string, first: unknown, second?: unknown): void {
    const listener = (second ?? first) as Listener<unknown>
    if (typeof listener !== 'function') {
      throw new TypeError(`on('${event}', …): expected a function, got ${listener === null ? 'null' : typeof listener}`)
    }
    const end = Object.hasOwn(SUBSCRIPTIONS, event)
      ? this.#subscribe(second === undefined ? [event] : [event, first], listener)
      : this.#listen(event as keyof ProviderEvents, listener)
    const removers = this.#listeners.get(event) ?? new Map<unknown, Unsubscribe>()
    this.#listeners.set(event, removers)
    removers.set(listener, end)
  }

  removeListener(event: string, listener: unknown): void {
    const removers = this.#listeners.get(event)
    removers?.get(listener)?.()
    removers?.delete(listener)
  }

  emit<Name extends keyof ProviderEvents>(name: Name, event: ProviderEvents[Name]): void {
    this.#emitter.emit(name, event)
  }

  /** Passes an event of the node on. */
  take(name: EventMessage['name'], value: unknown): void {
    if (name !== 'message') {
      this.#emitter.emit(name, value as never)
      return
    }
    const { type, data } = value as ProviderMessage
    const known = this.#subscriptions.take(data)
    if (known !== undefined) this.#emitter.emit('message', { type, data: known })
  }

  #listen(event: keyof ProviderEvents, listener: Listener<unknown>): Unsubscribe {
    const end = this.#emitter.on(event, listener)
    if (event === 'connect') queueMicrotask(() => this.#connected(listener))
    if ((event === 'chainChanged' || event === 'accountsChanged') && !this.isWatching) {
      this.isWatching = true
      this.#host.watch()
    }
    return end
  }

  #connected(listener: Listener<unknown>): void {
    const chainId = this.#host.chainId()
    if (chainId !== undefined && this.#listeners.get('connect')?.has(listener) === true) guarded(listener)({ chainId })
  }

  #subscribe(params: readonly unknown[], listener: Listener<unknown>): Unsubscribe {
    const receive = guarded(listener)
    this.#subscriptions.open('eth_subscribe', params, receive).catch(throwLater)
    return () => this.#subscriptions.end(receive)
  }
}

/** An error of a listener does not keep the others from being called. */
function guarded(listener: Listener<unknown>): Listener<unknown> {
  return (event) => {
    try {
      listener(event)
    } catch (error) {
      throwLater(error)
    }
  }
}

/** Reports an error to the page as an unhandled rejection. */
function throwLater(error: unknown): void {
  void Promise.reject(error)
}
