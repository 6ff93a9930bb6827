import type { CallNotes } from '../api/calls/notes.ts'
import type { Subscriber } from '../api/feeds/subscriptionHub.ts'
import type { AbortSignal } from '../base/ports/webTypes.ts'
import type { OutboundAccount } from './connection/outboundBudget.ts'
import type { Claims, Principal } from './connection/principal.ts'
import type { RateLimit } from './connection/rateLimit.ts'
import type { ApiGroup, RequestContext } from './method.ts'

/** The other end of a connection. */
export interface ConnectionPeer {
  /** Network address of the client. */
  readonly client: string
}

/** The endpoint, the connection and the caller that a request comes from. */
export interface RequestOrigin {
  /** API groups enabled on the endpoint. */
  readonly groups: ReadonlySet<ApiGroup>
  /** undefined when the endpoint needs no token */
  readonly principal?: Principal | undefined
  /** The connection for notifications; undefined when the transport only carries answers. */
  readonly subscriber?: Subscriber | undefined
  /** Whether a long response may be streamed; default: it may. */
  readonly streams?: boolean
  /** The connection's account; undefined when the host counts unsent bytes. */
  readonly outbound?: OutboundAccount | undefined
  /** The connection's limit; undefined: unlimited. */
  readonly rate?: RateLimit | undefined
  /** undefined on hosts that do not know it */
  readonly peer?: ConnectionPeer | undefined
  /** Whether the explorer of this node asks. */
  readonly isOwnPage?: boolean
}

/**
 * The context of one HTTP request or WebSocket message. Most calls end before anything could abort them, so the signal
 * is created on first access.
 */
export class RpcRequestContext implements RequestContext {
  readonly groups: ReadonlySet<ApiGroup>
  readonly principal: Principal | undefined
  readonly streams: boolean
  readonly outbound: OutboundAccount | undefined
  readonly rate: RateLimit | undefined
  readonly peer: ConnectionPeer | undefined
  readonly isOwnPage: boolean
  /** Notes of the call that runs; a request runs its calls one after the other. */
  notes: CallNotes | undefined
  readonly #subscriber: Subscriber | undefined
  #held = 0
  #mayHaveSubscribed = false
  #aborted = false
  #reason: unknown
  #controller: AbortController | undefined

  constructor({
    groups,
    principal,
    subscriber,
    streams = true,
    outbound,
    rate,
    peer,
    isOwnPage = false,
  }: RequestOrigin) {
    this.groups = groups
    this.principal = principal
    this.streams = streams
    this.#subscriber = subscriber
    this.outbound = outbound
    this.rate = rate
    this.peer = peer
    this.isOwnPage = isOwnPage
  }

  get subscriber(): Subscriber | undefined {
    this.#mayHaveSubscribed = true
    return this.#subscriber
  }

  /**
   * Whether a handler accessed the subscriber: notifications must follow the answer, which contains the subscription
   * id.
   */
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

  get claims(): Claims | undefined {
    return this.principal?.claims
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

  /** The text was sent or abandoned. */
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
