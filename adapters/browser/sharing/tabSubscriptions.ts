/**
 * The subscriptions of a tab. They are opened again at each new node, under the ids that the page knows.
 * @module
 */

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

interface Subscription {
  readonly method: string
  readonly params: readonly unknown[]
  /** Receives the results. Without it, they are events. */
  readonly listener: ((result: unknown) => void) | undefined
  /** Id at the present node; undefined until it has answered. */
  current: string | undefined
  isEnded: boolean
}

const CALLS: Readonly<Record<string, 'open' | 'end'>> = {
  eth_subscribe: 'open',
  debug_subscribe: 'open',
  eth_unsubscribe: 'end',
  debug_unsubscribe: 'end',
}

export const isSubscriptionCall = (method: string): boolean => Object.hasOwn(CALLS, method)

export class TabSubscriptions {
  readonly #ask: Ask
  /** By the id that the page knows. */
  readonly #byId = new Map<string, Subscription>()
  readonly #opened = new Set<Subscription>()

  constructor(ask: Ask) {
    this.#ask = ask
  }

  /** A call of the page. @returns the node's answer */
  call(method: string, params: readonly unknown[]): Promise<unknown> {
    if (CALLS[method] === 'open') return this.open(method, params)
    const id = params[0]
    const subscription = typeof id === 'string' ? this.#byId.get(id) : undefined
    if (subscription === undefined) return this.#ask(method, params)
    this.#forget(subscription)
    return this.#ask(method, [subscription.current ?? id])
  }

  /** @returns the id that the page knows */
  async open(method: string, params: readonly unknown[], listener?: (result: unknown) => void): Promise<string> {
    const subscription: Subscription = { method, params, listener, current: undefined, isEnded: false }
    this.#opened.add(subscription)
    try {
      await this.#openAt(subscription)
    } catch (error) {
      this.#opened.delete(subscription)
      throw error
    }
    const id = String(subscription.current)
    this.#byId.set(id, subscription)
    return id
  }

  /** Ends what {@link open} has opened for a listener. */
  end(listener: (result: unknown) => void): void {
    for (const subscription of this.#opened) {
      if (subscription.listener !== listener) continue
      this.#forget(subscription)
      if (subscription.current !== undefined) void this.#endAt(subscription.current)
    }
  }

  /** Opens all of them at a new node. */
  renew(): void {
    for (const subscription of this.#opened) {
      // A call that has no answer is repeated as every other.
      if (subscription.current === undefined) continue
      subscription.current = undefined
      this.#openAt(subscription).catch(() => this.#forget(subscription))
    }
  }

  /** @returns the notification with the id that the page knows; undefined when a listener has it */
  take(data: { readonly subscription: string; readonly result: unknown }): typeof data | undefined {
    for (const [id, { current, listener }] of this.#byId) {
      if (current !== data.subscription) continue
      listener?.(data.result)
      return listener === undefined ? { subscription: id, result: data.result } : undefined
    }
    return undefined
  }

  async #openAt(subscription: Subscription): Promise<void> {
    const id = String(await this.#ask(subscription.method, subscription.params))
    subscription.current = id
    if (subscription.isEnded) await this.#endAt(id)
  }

  /** A node that has ended has no subscriptions. */
  async #endAt(id: string): Promise<void> {
    await this.#ask('eth_unsubscribe', [id]).catch(() => {})
  }

  #forget(subscription: Subscription): void {
    subscription.isEnded = true
    this.#opened.delete(subscription)
    for (const [id, other] of this.#byId) if (other === subscription) this.#byId.delete(id)
  }
}
