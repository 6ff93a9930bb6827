/**
 * A provider over HTTP. Notifications come by WebSocket, where the node has one.
 * @module
 */
import { Batcher, type PendingRequest } from './batcher.ts'
import type { Listener, Provider, RequestArguments } from './eip1193.ts'
import { ConnectionError, type ErrorObject, METHOD_NOT_ENABLED, rpcError, UnauthorizedError } from './errors.ts'
import { SubscriptionSocket } from './subscriptionSocket.ts'

interface Answer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: ErrorObject
}

/** Where a node listens, as Besu tells it. */
interface Services {
  readonly jsonrpc?: { readonly port: unknown }
  readonly ws?: { readonly port: unknown }
}

export class HttpProvider implements Provider {
  readonly url: URL
  readonly #batcher: Batcher
  readonly #socket: SubscriptionSocket
  /** Kept in memory only, so that another tab or script cannot read it from storage. */
  #token: string | undefined

  constructor(url: URL) {
    this.url = url
    this.#batcher = new Batcher((requests) => void this.#send(requests))
    this.#socket = new SubscriptionSocket(url)
  }

  request({ method, params = [], signal }: RequestArguments): Promise<unknown> {
    if (method === 'eth_subscribe' || method === 'eth_unsubscribe') {
      // A browser cannot send a token with a WebSocket, so the page polls.
      if (this.#token !== undefined) return Promise.reject(new ConnectionError('subscriptions need a WebSocket'))
      return this.#requestBySocket(method, params)
    }
    return this.#batcher.request({ method, params, signal })
  }

  async #requestBySocket(method: string, params: readonly unknown[]): Promise<unknown> {
    if (!this.#socket.isOpen && !(await this.#mayHaveSocket()))
      throw new ConnectionError('The node has no WebSocket here.')
    return this.#socket.request(method, params)
  }

  /** Browsers report each failed attempt on their console. @returns false when the node says that it has no WebSocket here */
  async #mayHaveSocket(): Promise<boolean> {
    try {
      const services = (await this.request({ method: 'net_services' })) as Services | null
      return services?.jsonrpc === undefined || services.ws?.port === services.jsonrpc.port
    } catch (error) {
      return (error as { readonly code?: unknown }).code !== METHOD_NOT_ENABLED
    }
  }

  on(event: string, listener: Listener): void {
    this.#socket.on(event, listener)
  }

  removeListener(event: string, listener: Listener): void {
    this.#socket.removeListener(event, listener)
  }

  /** @throws {UnauthorizedError} when the node refuses the name or the password */
  async login(username: string, password: string): Promise<void> {
    const response = await fetch(new URL('login', this.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })
    if (response.status === 429) throw new UnauthorizedError('Too many attempts. Wait a little.')
    if (!response.ok) throw new UnauthorizedError('The node refused this name and password.')
    this.#token = ((await response.json()) as { token: string }).token
  }

  async #send(requests: readonly PendingRequest[]): Promise<void> {
    const abort = abortOfAll(requests)
    try {
      const bodies = requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
      const answer = await this.#post(bodies.length === 1 ? bodies[0] : bodies, abort.signal)
      settle(requests, answer)
    } catch (error) {
      for (const request of requests) request.reject(error)
    } finally {
      abort.release()
    }
  }

  async #post(body: unknown, signal: AbortSignal): Promise<unknown> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' }
    if (this.#token !== undefined) headers['Authorization'] = `Bearer ${this.#token}`
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal }
    const response = await fetch(this.url, init).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason
      throw new ConnectionError('The node does not answer.', { cause: error })
    })
    if (response.status === 401 || response.status === 403) {
      this.#token = undefined
      throw new UnauthorizedError('The node asks for a login.')
    }
    return await response.json().catch((error: unknown) => {
      if (signal.aborted) throw signal.reason
      throw new ConnectionError(`The node answered with status ${response.status}.`, { cause: error })
    })
  }
}

/** The signal fires when nobody waits for the batch any longer. Each aborted request is rejected at once. */
function abortOfAll(requests: readonly PendingRequest[]): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  let waiting = requests.length
  const listeners = requests.map(({ signal, reject }) => () => {
    reject(signal?.reason)
    waiting--
    if (waiting === 0) controller.abort(signal?.reason)
  })
  for (const [i, { signal }] of requests.entries()) {
    if (signal?.aborted) listeners[i]?.()
    else signal?.addEventListener('abort', listeners[i] as () => void, { once: true })
  }
  const release = (): void => {
    for (const [i, { signal }] of requests.entries()) signal?.removeEventListener('abort', listeners[i] as () => void)
  }
  return { signal: controller.signal, release }
}

function settle(requests: readonly PendingRequest[], answer: unknown): void {
  const answers = new Map<unknown, Answer>()
  const list = Array.isArray(answer) ? answer : [answer]
  for (const item of list as readonly (Answer | null)[]) if (item !== null) answers.set(item.id, item)
  // A node that refuses a whole batch answers with one error without id.
  const refusal = Array.isArray(answer) ? undefined : (answer as Answer | null)
  for (const [id, request] of requests.entries()) {
    const { error, result } = answers.get(id) ?? refusal ?? {}
    if (error !== undefined) request.reject(rpcError(request.method, error))
    else if (result === undefined) request.reject(new ConnectionError('The node sent an answer that is no JSON-RPC.'))
    else request.resolve(result)
  }
}
