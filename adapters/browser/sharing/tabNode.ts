/**
 * The handle of a tab on a node in a worker: the same as that of a node in the tab.
 * @module
 */
import { HEARD_STEP, MAX_KEPT_TAB_REQUESTS, MAX_TAB_REQUESTS } from '../../../src/base/limits/limits.ts'
import {
  DISCONNECTED,
  type RequestArguments,
  RequestError,
  type RequestFunction,
} from '../../../src/rpc/providerContract.ts'
import { type RequestParams, requestParts } from '../../../src/rpc/requestParts.ts'
import type { LocalAccount } from '../../shared/nodeHandle.ts'
import type { Link } from './link.ts'
import { isRepeatable, kindOf } from './methodKind.ts'
import { TabEvents } from './tabEvents.ts'
import { isSubscriptionCall, TabSubscriptions } from './tabSubscriptions.ts'
import type {
  AnswerMessage,
  EventMessage,
  HostMessage,
  HttpRequestParts,
  HttpResponseParts,
  QuestionMessage,
} from './wire.ts'

/** Finds the node, at first and after each end of it. */
export interface Connector {
  /** @throws {NodeError} when this tab cannot share the node */
  connect(): Promise<Link>
  close(): Promise<void>
}

/** A question without the members that the sending adds. */
type Question = QuestionMessage extends infer Message
  ? Message extends QuestionMessage
    ? Omit<Message, 'id' | 'isRepeated'>
    : never
  : never

interface Pending {
  readonly question: Question
  /** The link on which it was posted last. */
  link: Link | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

export class TabNode {
  readonly #connector: Connector
  readonly #events: TabEvents
  readonly #subscriptions: TabSubscriptions
  /** By id, in the order in which they were asked. */
  readonly #pending = new Map<number, Pending>()
  #sent = 0
  #nextId = 1
  #heard = 0
  #link: Link | undefined
  #closed: RequestError | undefined
  #closing: Promise<void> | undefined
  #chainId = ''
  #isKept = true
  accounts: readonly LocalAccount[] = []

  constructor(connector: Connector) {
    this.#connector = connector
    this.#subscriptions = new TabSubscriptions((method, params) =>
      this.#ask({ isonode: 'request', method, params: JSON.stringify(params) }),
    )
    this.#events = new TabEvents(this.#subscriptions, {
      watch: () => this.#link?.post({ isonode: 'watch' }),
      chainId: () => (this.#link === undefined ? undefined : this.#chainId),
    })
  }

  get isClosed(): boolean {
    return this.#closed !== undefined
  }

  /** @throws {NodeError} when this tab cannot share the node */
  async open(): Promise<void> {
    this.#attach(await this.#connector.connect())
  }

  readonly request: RequestFunction = async <T>(
    call: string | RequestArguments,
    params?: RequestParams,
  ): Promise<T> => {
    const parts = requestParts(call, params)
    const result = isSubscriptionCall(parts.method)
      ? await this.#subscriptions.call(parts.method, JSON.parse(parts.params))
      : await this.#ask({ isonode: 'request', ...parts })
    return result as T
  }

  on(event: string, first: unknown, second?: unknown): this {
    this.#events.on(event, first, second)
    return this
  }

  removeListener(event: string, listener: (event: never) => void): this {
    this.#events.removeListener(event, listener)
    return this
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const parts = await httpRequestParts(request)
    const { status, headers, body } = (await this.#ask({ isonode: 'fetch', request: parts })) as HttpResponseParts
    return new Response(body === '' ? null : body, {
      status,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
    })
  }

  /** @returns what the node reports about the import */
  import(blocks: Blob, verifySeal: boolean): Promise<unknown> {
    return this.#ask({ isonode: 'import', blocks, verifySeal })
  }

  close(): Promise<void> {
    this.#closing ??= this.#leave()
    return this.#closing
  }

  async #leave(): Promise<void> {
    this.#end(new RequestError({ code: DISCONNECTED, message: 'the node is closed' }))
    this.#link?.close()
    await this.#connector.close()
  }

  #attach(link: Link): void {
    if (this.#closed !== undefined) {
      link.close()
      return
    }
    const isAgain = this.#chainId !== ''
    const { accounts, chainId, isKept } = link.welcome
    if (isAgain && !this.#isKept) this.#failUnrepeatable()
    this.#link = link
    this.accounts = accounts
    this.#isKept = isKept
    this.#heard = 0
    this.#sent = 0
    const chainIdBefore = this.#chainId
    this.#chainId = chainId
    link.onMessage((message) => this.#take(message))
    void link.ended.then(() => this.#lost(link))
    // Subscriptions come first, so that none misses what the repeated requests change.
    const waiting = [...this.#pending]
    if (isAgain) this.#subscriptions.renew()
    for (const [id, pending] of waiting) this.#post(id, pending)
    if (this.#events.isWatching) link.post({ isonode: 'watch' })
    if (!isAgain) return
    this.#events.emit('connect', { chainId })
    if (chainId !== chainIdBefore) this.#events.emit('chainChanged', chainId)
  }

  #lost(link: Link): void {
    if (this.#link !== link || this.#closed !== undefined) return
    this.#link = undefined
    link.close()
    this.#events.emit(
      'disconnect',
      new RequestError({ code: DISCONNECTED, message: 'the node moves to another worker' }),
    )
    this.#connector.connect().then(
      (next) => this.#attach(next),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        this.#end(new RequestError({ code: DISCONNECTED, message }))
        void this.close()
      },
    )
  }

  /** Without a database, nobody knows what became of these. */
  #failUnrepeatable(): void {
    for (const [id, { question, link, reject }] of this.#pending) {
      if (link === undefined || question.isonode !== 'request' || isRepeatable(kindOf(question.method))) continue
      this.#pending.delete(id)
      reject(new RequestError({ code: DISCONNECTED, message: 'the chain was in memory and ended with its worker' }))
    }
  }

  #end(error: RequestError): void {
    if (this.#closed !== undefined) return
    this.#closed = error
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
    this.#events.emit('disconnect', error)
  }

  async #ask(question: Question): Promise<unknown> {
    if (this.#closed !== undefined) throw this.#closed
    if (this.#pending.size >= MAX_KEPT_TAB_REQUESTS) {
      throw new RequestError({ code: LIMIT_EXCEEDED, message: `more than ${MAX_KEPT_TAB_REQUESTS} requests wait` })
    }
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      const pending = { question, link: undefined, resolve, reject }
      this.#pending.set(id, pending)
      this.#post(id, pending)
    })
  }

  #post(id: number, pending: Pending): void {
    if (this.#link === undefined || this.#sent >= MAX_TAB_REQUESTS) return
    this.#sent++
    const isRepeated = pending.link !== undefined
    pending.link = this.#link
    this.#link.post({ ...pending.question, id, isRepeated })
  }

  /** Posts the first of the questions that had to wait. */
  #postNext(): void {
    if (this.#pending.size <= this.#sent) return
    const [next] = this.#unposted()
    if (next !== undefined) this.#post(...next)
  }

  /** Questions that this link has not carried, oldest first. */
  *#unposted(): Generator<[number, Pending]> {
    for (const entry of this.#pending) if (entry[1].link !== this.#link) yield entry
  }

  #take(message: HostMessage): void {
    if (message.isonode === 'event') this.#hear(message)
    if (message.isonode === 'answer' || message.isonode === 'failure') this.#settle(message)
  }

  #settle(message: AnswerMessage): void {
    const pending = this.#pending.get(message.id)
    if (pending === undefined) return
    this.#pending.delete(message.id)
    this.#sent--
    if (message.isonode === 'answer') pending.resolve(message.result)
    else pending.reject(new RequestError(message.error))
    this.#postNext()
  }

  #hear({ name, value }: EventMessage): void {
    this.#heard++
    if (this.#heard % HEARD_STEP === 0) this.#link?.post({ isonode: 'heard', count: HEARD_STEP })
    this.#events.take(name, value)
  }
}

const LIMIT_EXCEEDED = -32005

async function httpRequestParts(request: Request): Promise<HttpRequestParts> {
  const { url, method, headers } = request
  const body = await request.arrayBuffer()
  return { url, method, headers: [...headers], body: body.byteLength === 0 ? undefined : body }
}
