/**
 * Requests and subscriptions within the process: an EIP-1193 provider over the envelope, without a socket.
 * @module
 */

import type { Subscriber } from '../api/feeds/subscriptionHub.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { Emitter, type Listener, type Unsubscribe } from '../base/primitives/events.ts'
import type { Envelope } from './envelope.ts'
import { IdentityWatch } from './identityWatch.ts'
import { isPromise } from './invoke.ts'
import {
  DISCONNECTED,
  type ProviderEvents,
  type ProviderMessage,
  type RequestArguments,
  RequestError,
  type RequestFunction,
  type SubscriptionEvents,
} from './providerContract.ts'
import type { Reply } from './reply.ts'
import { RpcRequestContext } from './requestContext.ts'
import { type RequestParams, type RequestParts, requestParts } from './requestParts.ts'

export interface ProviderOptions {
  readonly envelope: Pick<Envelope<never>, 'handle' | 'served' | 'refuse'>
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
  /** Time limit for one request. */
  readonly timeoutMs: number
  /**
   * Called when requests wait for an answer, for hosts that end a program without open handles. @returns called when
   * all have been answered
   */
  readonly onPending?: (() => () => void) | undefined
  /** Reports when a block may have changed what the node answers to `eth_chainId` and `eth_accounts`. */
  readonly onHead?: ((listener: () => void) => Unsubscribe) | undefined
}

type Fail = (error: RequestError) => void

interface Notification {
  readonly method: ProviderMessage['type']
  readonly params: ProviderMessage['data']
}

const SUBSCRIPTIONS: ReadonlySet<string> = new Set<keyof SubscriptionEvents>([
  'newHeads',
  'logs',
  'newPendingTransactions',
  'droppedPendingTransactions',
  'syncing',
])

/**
 * Notifications reach their listeners in a later turn of the event loop: the caller of `eth_subscribe` then already
 * knows the id, and no listener interrupts the node's work.
 */
export class Provider implements Subscriber {
  readonly #options: ProviderOptions
  readonly #events = new Emitter<ProviderEvents>(throwLater)
  /** Listeners added by {@link on}, with the functions that remove them. */
  readonly #listeners = new Map<string, Map<unknown, Unsubscribe>>()
  /** Listeners of subscriptions that {@link on} opened, by id. */
  readonly #subscriptions = new Map<string, Listener<unknown>>()
  /** Requests that wait for an answer. */
  readonly #pending = new Map<RpcRequestContext, Fail>()
  readonly #closeListeners: (() => void)[] = []
  /** Notifications of the current turn of the event loop. */
  #notifications: string[] = []
  #onAnswered: (() => void) | undefined
  #isClosed = false
  /** undefined: nobody listens for a change of the chain id or of the accounts */
  #identity: IdentityWatch | undefined

  constructor(options: ProviderOptions) {
    this.#options = options
  }

  /**
   * @see EIP-1193; codes and messages are those of the node's JSON-RPC
   * @throws {RequestError} also 4900 when the node is closed before it answers
   */
  readonly request: RequestFunction = async <T>(
    call: string | RequestArguments,
    params?: RequestParams,
  ): Promise<T> => {
    const reply = this.#send(call, params)
    const result = resultOf(isPromise(reply) ? await reply : reply) as T
    this.#identity?.check()
    return result
  }

  /** Adds a listener for an event, or opens a subscription for it: `on(event, listener)`, `on(event, criteria, listener)`. */
  on(event: string, first: unknown, second?: unknown): this {
    const listener = (second ?? first) as Listener<unknown>
    if (typeof listener !== 'function') {
      throw new TypeError(`on('${event}', …): expected a function, got ${listener === null ? 'null' : typeof listener}`)
    }
    const end = this.#listen(event, second === undefined ? [event] : [event, first], listener)
    const removers = this.#listeners.get(event) ?? new Map<unknown, Unsubscribe>()
    this.#listeners.set(event, removers)
    const remove = (): void => {
      if (removers.get(listener) === remove) removers.delete(listener)
      end()
    }
    removers.set(listener, remove)
    return this
  }

  /** Removes a listener that {@link on} added. */
  removeListener(event: string, listener: (event: never) => void): this {
    this.#listeners.get(event)?.get(listener)?.()
    return this
  }

  /** Receives a notification of the node. */
  send(text: string): void {
    if (this.#isClosed) return
    this.#notifications.push(text)
    if (this.#notifications.length === 1) void this.#options.yieldToHost().then(() => this.#notify())
  }

  /** Whether notifications have not reached their listeners. */
  get isBehind(): boolean {
    return this.#notifications.length > 0
  }

  onClose(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#closeListeners.push(listener)
  }

  /** Ends all subscriptions and fails the requests that wait for an answer. Idempotent. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#identity?.close()
    const error = closedError()
    for (const [context, fail] of this.#pending) {
      context.abort(new DOMException(error.message, 'AbortError'))
      fail(error)
    }
    this.#pending.clear()
    this.#answered()
    this.#notifications = []
    this.#subscriptions.clear()
    for (const listener of this.#closeListeners.splice(0)) listener()
    this.#events.emit('disconnect', error)
  }

  #send(call: string | RequestArguments, params: RequestParams): Reply | Promise<Reply> {
    if (this.#isClosed) throw closedError()
    const text = requestText(requestParts(call, params))
    const { envelope } = this.#options
    const context = new RpcRequestContext({ groups: envelope.served.groups, subscriber: this, streams: false })
    const reply = envelope.handle(text, context)
    return isPromise(reply) ? this.#limited(reply, context) : reply
  }

  /** A handler that continues beyond its time limit is abandoned. */
  #limited(reply: Promise<Reply>, context: RpcRequestContext): Promise<Reply> {
    const { timers, timeoutMs, envelope } = this.#options
    return new Promise((resolve, reject) => {
      const timer = timers.schedule(timeoutMs, () => {
        context.abort(new DOMException('the request exceeded its time limit', 'TimeoutError'))
        settle({ status: 200, body: envelope.refuse('TIMEOUT') })
      })
      const settle = (result: Reply): void => {
        timer.cancel()
        this.#pending.delete(context)
        this.#answered()
        resolve(result)
      }
      this.#pending.set(context, (error) => {
        timer.cancel()
        reject(error)
      })
      this.#onAnswered ??= this.#options.onPending?.()
      reply.then(settle, reject)
    })
  }

  #answered(): void {
    if (this.#pending.size > 0) return
    this.#onAnswered?.()
    this.#onAnswered = undefined
  }

  #listen(event: string, params: readonly unknown[], listener: Listener<unknown>): Unsubscribe {
    if (SUBSCRIPTIONS.has(event)) return this.#subscribe(params, listener)
    const end = this.#events.on(event as keyof ProviderEvents, listener)
    if (event === 'connect') void this.#connected(listener)
    if (event === 'chainChanged' || event === 'accountsChanged') this.#watch()
    return end
  }

  async #connected(listener: Listener<unknown>): Promise<void> {
    await this.#options.yieldToHost()
    const isHeard = this.#listeners.get('connect')?.has(listener) === true
    if (!this.#isClosed && isHeard) call(listener, { chainId: resultOf(await this.#send('eth_chainId', [])) })
  }

  #watch(): void {
    this.#identity ??= new IdentityWatch({
      read: async (method) => resultOf(await this.#send(method, [])),
      onHead: this.#options.onHead,
      emit: (event, value) => this.#events.emit(event, value as never),
    })
  }

  #subscribe(params: readonly unknown[], listener: Listener<unknown>): Unsubscribe {
    const reply = this.#send('eth_subscribe', params)
    if (isPromise(reply)) throw new TypeError('eth_subscribe is synchronous')
    const id = resultOf(reply) as string
    this.#subscriptions.set(id, listener)
    return () => {
      if (this.#subscriptions.get(id) !== listener) return
      // Notifications on their way are discarded, rather than emitted as messages.
      this.#subscriptions.set(id, ignore)
      void this.#options.yieldToHost().then(() => this.#subscriptions.delete(id))
      void this.#send('eth_unsubscribe', [id])
    }
  }

  #notify(): void {
    for (const text of this.#notifications.splice(0)) {
      const { method, params } = JSON.parse(text) as Notification
      const { subscription, result } = params
      const listener = this.#subscriptions.get(subscription)
      if (listener === undefined) {
        this.#events.emit('message', { type: method, data: { subscription, result } })
      } else call(listener, result)
    }
  }
}

function ignore(): void {}

function call(listener: Listener<unknown>, result: unknown): void {
  try {
    listener(result)
  } catch (error) {
    throwLater(error)
  }
}

/** Reports an error of a listener to the host as an unhandled rejection. The other listeners are still called. */
function throwLater(error: unknown): void {
  void Promise.reject(error)
}

function closedError(): RequestError {
  return new RequestError({ code: DISCONNECTED, message: 'the node is closed' })
}

function requestText({ method, params }: RequestParts): string {
  return `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`
}

/** @throws {RequestError} for an error response */
function resultOf({ body, error }: Reply): unknown {
  const answer = JSON.parse(body) as { result?: unknown; error?: ConstructorParameters<typeof RequestError>[0] }
  if (answer.error !== undefined) throw new RequestError({ ...answer.error, ...error?.problem })
  return answer.result
}
