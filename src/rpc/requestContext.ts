import type { Subscriber } from '../api/feeds/subscriptionHub.ts'
import type { ApiGroup, RequestContext } from './method.ts'
import type { OutboundAccount } from './outboundBudget.ts'

/** What a caller may do, from its token; undefined where an endpoint asks for none. */
export type MethodPermission = (method: string) => boolean

/**
 * The context of one HTTP request or WebSocket message. Most calls are over before anybody could abort them, so the
 * signal is only made when a handler asks for it.
 */
export class RpcRequestContext implements RequestContext {
  readonly groups: ReadonlySet<ApiGroup>
  readonly permits: MethodPermission | undefined
  /** A long response may be sent while it is made. */
  readonly streams: boolean
  /** Of the connection; undefined where the host counts what waits to be sent. */
  readonly outbound: OutboundAccount | undefined
  readonly #subscriber: Subscriber | undefined
  #held = 0
  #mayHaveSubscribed = false
  #aborted = false
  #reason: unknown
  #controller: AbortController | undefined

  constructor(
    groups: ReadonlySet<ApiGroup>,
    permits?: MethodPermission,
    subscriber?: Subscriber,
    streams = true,
    outbound?: OutboundAccount,
  ) {
    this.groups = groups
    this.permits = permits
    this.streams = streams
    this.#subscriber = subscriber
    this.outbound = outbound
  }

  get subscriber(): Subscriber | undefined {
    this.#mayHaveSubscribed = true
    return this.#subscriber
  }

  /** A handler has asked for the subscriber: what is sent to it has to come after the answer, which names the id. */
  get mayHaveSubscribed(): boolean {
    return this.#mayHaveSubscribed
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  hold(bytes: number): boolean {
    if (this.outbound === undefined) return true
    if (!this.outbound.hold(bytes)) return false
    this.#held += bytes
    return true
  }

  /** The text is on its way, or given up. */
  release(): void {
    if (this.#held === 0) return
    this.outbound?.release(this.#held)
    this.#held = 0
  }

  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}
