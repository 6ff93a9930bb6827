/**
 * JSON-RPC over a WebSocket.
 * @module
 */
import type { RemoteTransport, SendOptions, TransportAnswer } from '../../src/base/ports/remoteTransport.ts'
import { answerTooLong, stopped, unavailable } from '../../src/remote/errors.ts'
import { RemoteAddress } from './remoteAddress.ts'

/** The part of a WebSocket that is used; the global one and that of `ws` have it. */
export interface ClientSocket {
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onerror: (() => void) | null
  onclose: ((event: { readonly code: number }) => void) | null
  send(text: string): void
  close(): void
}

/** @param headers sent with the handshake, where the runtime can */
export type OpenSocket = (url: string, headers: Readonly<Record<string, string>>) => ClientSocket

interface Waiting {
  readonly maxBytes: number
  readonly onBytes: SendOptions['onBytes']
  resolve(answer: TransportAnswer): void
  reject(error: Error): void
}

/** Connects with the first request, and again with the first one after a connection has ended. */
export class WebSocketTransport implements RemoteTransport {
  readonly origin: string
  readonly #address: RemoteAddress
  readonly #headers: Readonly<Record<string, string>>
  readonly #openSocket: OpenSocket
  readonly #waiting = new Map<number, Waiting>()
  #socket: Promise<ClientSocket> | undefined
  #isClosed = false

  /** @throws {NodeError} INVALID_OPTION for a URL of another scheme */
  constructor(url: string, openSocket: OpenSocket, headers: Readonly<Record<string, string>> = {}) {
    this.#address = new RemoteAddress(url, ['ws:', 'wss:'], headers)
    const { origin, authorization } = this.#address
    this.origin = origin
    this.#openSocket = openSocket
    this.#headers = { ...(authorization === undefined ? {} : { authorization }), ...headers }
  }

  redacted(text: string): string {
    return this.#address.redacted(text)
  }

  async send(body: string, { signal, maxBytes, onBytes }: SendOptions): Promise<TransportAnswer> {
    if (this.#isClosed) throw stopped()
    const ids = idsOf(JSON.parse(body))
    this.#socket ??= this.#connect()
    const socket = await this.#socket
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const end = (): void => {
        for (const id of ids) this.#waiting.delete(id)
        signal.removeEventListener('abort', abort)
      }
      const abort = (): void => waiting.reject(unavailable('the request was given up'))
      const waiting: Waiting = {
        maxBytes,
        onBytes,
        resolve: (answer) => {
          end()
          resolve(answer)
        },
        reject: (error) => {
          end()
          reject(error)
        },
      }
      signal.addEventListener('abort', abort)
      for (const id of ids) this.#waiting.set(id, waiting)
      socket.send(body)
    })
  }

  close(): void {
    this.#isClosed = true
    this.#socket?.then(
      (socket) => socket.close(),
      () => {},
    )
    this.#failAll('the connection was closed')
  }

  #connect(): Promise<ClientSocket> {
    return new Promise((resolve, reject) => {
      const socket = this.#openSocket(this.#address.urlWithoutCredentials, this.#headers)
      socket.onopen = () => resolve(socket)
      socket.onmessage = ({ data }) => this.#received(data)
      // The event of a browser does not say why; a close follows.
      socket.onerror = () => {}
      socket.onclose = ({ code }) => {
        const reason = `the connection was closed (${code})`
        this.#socket = undefined
        reject(unavailable(reason))
        this.#failAll(reason)
      }
    })
  }

  #received(data: unknown): void {
    const answer = typeof data === 'string' ? parsed(data) : undefined
    const [id] = idsOf(answer)
    const known = id === undefined ? undefined : this.#waiting.get(id)
    // An answer without an id can belong only to the one request that waits; notifications have none either.
    const requests = new Set(this.#waiting.values())
    const isOnly = requests.size === 1 && !isNotification(answer)
    const waiting = known ?? (id === undefined && isOnly ? [...requests][0] : undefined)
    if (waiting === undefined || typeof data !== 'string') return
    try {
      waiting.onBytes?.(data.length)
      if (data.length > waiting.maxBytes) throw answerTooLong(waiting.maxBytes)
      waiting.resolve({ status: 200, text: data })
    } catch (error) {
      waiting.reject(error as Error)
    }
  }

  #failAll(reason: string): void {
    for (const { reject } of [...this.#waiting.values()]) reject(unavailable(reason))
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Of a request, an answer, or a batch of them. */
function idsOf(json: unknown): number[] {
  const items: readonly unknown[] = Array.isArray(json) ? json : [json]
  return items.flatMap((item) => {
    const id = typeof item === 'object' && item !== null ? (item as { id?: unknown }).id : undefined
    return typeof id === 'number' ? [id] : []
  })
}

function isNotification(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'method' in json
}
