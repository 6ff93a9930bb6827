/**
 * One end of the connection between the process that writes a chain and a worker process. Both ends ask and answer.
 * @module
 */
import type { Subscriber } from '../../api/feeds/subscriptionHub.ts'
import type { CountedCall } from '../../api/mirrorAccess.ts'
import { MAX_FORWARDED_REQUESTS } from '../../base/limits/limits.ts'
import type { AbortSignal } from '../../base/ports/webTypes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { GraphqlAnswers, GraphqlInput, GraphqlPermission, GraphqlReply } from '../../graphql/contract.ts'
import type { LoginReply } from '../../http/access/contract.ts'
import type { Claims } from '../../rpc/connection/principal.ts'
import type { ForwardedCall, MainProcess } from '../../rpc/forwarding.ts'
import { isPromise } from '../../rpc/invoke.ts'
import type { Reply } from '../../rpc/reply.ts'
import type { RpcRequest } from '../../rpc/simpleRequest.ts'
import type { Answers, AskMessage, CallMessage, GraphqlMessage, LinkMessage, LoginMessage } from './messages.ts'
import { RemoteSubscribers } from './remoteSubscribers.ts'

/** The caller of a request from the other process. */
export interface RemoteCaller {
  readonly claims: Claims | undefined
  readonly subscriber: Subscriber | undefined
}

/** The answers of this process. */
export interface LinkAnswers {
  /** @returns never rejects; with a body, not with a stream */
  call(request: RpcRequest, caller: RemoteCaller, signal: AbortSignal): Reply | Promise<Reply>
  graphql(input: GraphqlInput, signal: AbortSignal, permits: GraphqlPermission): Promise<GraphqlReply>
  login(endpoint: LoginMessage['endpoint'], body: string, client: string): Promise<LoginReply>
  /** Counts calls that the other process has answered. */
  called(calls: readonly CountedCall[]): void
}

export interface ProcessLinkOptions {
  send(message: LinkMessage): void
  /** Whether the other process has not taken much of what was sent. */
  isBehind(): boolean
  readonly answers: LinkAnswers
}

interface Asked {
  resolve(answer: Answers[keyof Answers]): void
  reject(error: unknown): void
}

export class ProcessLink implements MainProcess {
  readonly #options: ProcessLinkOptions
  readonly #asked = new Map<number, Asked>()
  readonly #answering = new Map<number, AbortController>()
  /** Connections of the other process that subscribe here. */
  readonly #remote: RemoteSubscribers
  /** Connections of this process that subscribe there. */
  readonly #local = new Map<number, Subscriber>()
  readonly #numbers = new WeakMap<Subscriber, number>()
  #lastId = 0
  #isClosed = false

  constructor(options: ProcessLinkOptions) {
    this.#options = options
    this.#remote = new RemoteSubscribers({
      notify: (subscriber, text) => options.send({ kind: 'notify', subscriber, text }),
      isBehind: options.isBehind,
    })
  }

  call({ request, claims, subscriber }: ForwardedCall, signal: AbortSignal): Promise<Reply> {
    const number = subscriber && this.#numberOf(subscriber)
    return this.#ask<CallMessage>({ kind: 'call', request, claims, subscriber: number }, signal)
  }

  graphql(input: GraphqlInput, signal: AbortSignal | undefined, permits?: GraphqlPermission): Promise<GraphqlReply> {
    const allowed = { query: permits?.('query') ?? true, mutation: permits?.('mutation') ?? true }
    return this.#ask<GraphqlMessage>({ kind: 'graphql', input, permits: allowed }, signal)
  }

  login(endpoint: LoginMessage['endpoint'], body: string, client: string): Promise<LoginReply> {
    return this.#ask<LoginMessage>({ kind: 'login', endpoint, body, client }, undefined)
  }

  /** Reports calls that this process has answered. */
  reportCalls(calls: readonly CountedCall[]): void {
    if (!this.#isClosed && calls.length > 0) this.#options.send({ kind: 'called', calls })
  }

  receive(message: LinkMessage): void {
    if (this.#isClosed) return
    switch (message.kind) {
      case 'call':
      case 'graphql':
      case 'login':
        this.#answer(message)
        return
      case 'answer':
        this.#settle(message.id)?.resolve(message.answer)
        return
      case 'abort':
        this.#answering.get(message.id)?.abort(new DOMException('the answer is no longer awaited', 'AbortError'))
        return
      case 'notify':
        this.#local.get(message.subscriber)?.send(message.text)
        return
      case 'called':
        this.#options.answers.called(message.calls)
        return
      case 'gone':
        this.#remote.remove(message.subscriber)
        return
    }
  }

  /** The other process has ended, or must. Idempotent. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const { reject } of this.#asked.values()) reject(unavailable('has ended the connection'))
    this.#asked.clear()
    const reason = new DOMException('the process that asked has ended', 'AbortError')
    for (const controller of this.#answering.values()) controller.abort(reason)
    this.#answering.clear()
    this.#remote.close()
    this.#local.clear()
  }

  #ask<Ask extends AskMessage>(ask: Ask, signal: AbortSignal | undefined): Promise<Answers[Ask['kind']]> {
    if (this.#isClosed) return Promise.reject(unavailable('has ended the connection'))
    if (this.#asked.size >= MAX_FORWARDED_REQUESTS) {
      return Promise.reject(unavailable(`has ${MAX_FORWARDED_REQUESTS} requests to answer already`))
    }
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#options.send({ kind: 'abort', id })
        this.#settle(id)?.reject(signal?.reason)
      }
      const stopListening = (): void => signal?.removeEventListener('abort', abort)
      this.#asked.set(id, {
        resolve: (answer) => {
          stopListening()
          resolve(answer as Answers[Ask['kind']])
        },
        reject: (error) => {
          stopListening()
          reject(error)
        },
      })
      signal?.addEventListener('abort', abort, { once: true })
      this.#options.send({ ...ask, id })
    })
  }

  #settle(id: number): Asked | undefined {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    return asked
  }

  /** An answer that is known at once is sent before any notification that it causes. */
  #answer(message: AskMessage & { readonly id: number }): void {
    const { id } = message
    const controller = new AbortController()
    const answer = this.#answerTo(message, controller.signal)
    const send = (settled: Answers[keyof Answers]): void => {
      this.#answering.delete(id)
      if (!this.#isClosed) this.#options.send({ kind: 'answer', id, answer: settled })
    }
    if (!isPromise(answer)) {
      send(answer)
      return
    }
    this.#answering.set(id, controller)
    void answer.then((settled) => send(settled as Answers[keyof Answers]))
  }

  #answerTo(message: AskMessage, signal: AbortSignal): Answers[keyof Answers] | Promise<Answers[keyof Answers]> {
    const { answers } = this.#options
    if (message.kind === 'graphql') {
      const { input, permits } = message
      return answers.graphql(input, signal, (operation) => permits[operation])
    }
    if (message.kind === 'login') return answers.login(message.endpoint, message.body, message.client)
    const { request, claims, subscriber } = message
    return answers.call(request, { claims, subscriber: this.#remote.of(subscriber) }, signal)
  }

  #numberOf(subscriber: Subscriber): number {
    const known = this.#numbers.get(subscriber)
    if (known !== undefined) return known
    const number = ++this.#lastId
    this.#numbers.set(subscriber, number)
    this.#local.set(number, subscriber)
    subscriber.onClose(() => {
      if (this.#local.delete(number) && !this.#isClosed) this.#options.send({ kind: 'gone', subscriber: number })
    })
    return number
  }
}

/** GraphQL requests that only the process that writes can answer are forwarded, the others are answered here. */
export function forwardingGraphql(own: GraphqlAnswers, link: Pick<ProcessLink, 'graphql'>): GraphqlAnswers {
  return {
    answer: async (input, signal, permits) => {
      if (!NEEDS_MAIN.test(input.query)) return own.answer(input, signal, permits)
      try {
        return await link.graphql(input, signal, permits)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        return { status: 503, body: JSON.stringify({ errors: [{ message }] }), problem: message }
      }
    },
  }
}

/**
 * Changes, the pool, and transactions by their hash, which may be in the pool. The main process can answer every request, so
 * a word that means something else does no harm.
 */
const NEEDS_MAIN = /\b(?:mutation|pending|syncing|transaction|gasPrice|estimateGas)\b/

function unavailable(reason: string): NodeError {
  return new NodeError({ code: 'WORKER_UNAVAILABLE' }, `the process that writes the chain ${reason}`)
}
