/**
 * Forwards what only the process that writes the chain can answer, request by request: a batch is split, and its answers
 * are joined in order.
 * @module
 */
import type { Subscriber } from '../api/feeds/subscriptionHub.ts'
import type { AbortSignal } from '../base/ports/webTypes.ts'
import { answeringProcess } from './answeredBy.ts'
import type { Claims } from './connection/principal.ts'
import { isPromise } from './invoke.ts'
import type { MethodDefinition } from './method.ts'
import type { Forwarder, PendingRequest } from './pendingRequest.ts'
import type { Reply } from './reply.ts'
import type { RpcRequest } from './simpleRequest.ts'

/** A request that its receiver need not authorize. */
export interface ForwardedCall {
  readonly request: RpcRequest
  readonly claims: Claims | undefined
  /** The connection for notifications; undefined for a method without. */
  readonly subscriber: Subscriber | undefined
}

/** The process that writes the chain. */
export interface MainProcess {
  /** @throws {NodeError} WORKER_UNAVAILABLE as a rejection */
  call(call: ForwardedCall, signal: AbortSignal): Promise<Reply>
}

export interface ForwardingOptions {
  readonly main: MainProcess
  /** Whether the chain is a dev chain. */
  readonly isDev: boolean
  /** Called with each answer of the main process, which may have changed the chain. */
  onAnswered(): void
}

export class Forwarding implements Forwarder {
  readonly #main: MainProcess
  readonly #isDev: boolean
  readonly #onAnswered: () => void

  constructor({ main, isDev, onAnswered }: ForwardingOptions) {
    this.#main = main
    this.#isDev = isDev
    this.#onAnswered = onAnswered
  }

  answer<Backend>(pending: PendingRequest<Backend>, definition: MethodDefinition<Backend>): Reply | Promise<Reply> {
    const place = answeringProcess(definition, pending.request.params)
    if (place === 'main' || (place === 'main if dev' && this.#isDev)) return this.#ask(pending, definition)
    const reply = pending.execute(definition)
    if (place !== 'main if absent') return reply
    const settle = (own: Reply): Reply | Promise<Reply> => (isAbsent(own) ? this.#ask(pending, definition) : own)
    return isPromise(reply) ? reply.then(settle) : settle(reply)
  }

  async #ask<Backend>(pending: PendingRequest<Backend>, definition: MethodDefinition<Backend>): Promise<Reply> {
    const { request, context } = pending
    // To read the subscriber delays notifications until the answer has been sent.
    const subscriber = definition.needsSubscriber === true ? context.subscriber : undefined
    try {
      const reply = await this.#main.call({ request, claims: context.claims, subscriber }, context.signal)
      // The next request of a batch sees what this one has changed.
      this.#onAnswered()
      return reply
    } catch (error) {
      return pending.fail(definition, error)
    }
  }
}

/** The answer of a process that does not have what the request names. */
function isAbsent({ body, error }: Reply): boolean {
  return error !== undefined || body.endsWith(',"result":null}') || body.endsWith(',"result":false}')
}
