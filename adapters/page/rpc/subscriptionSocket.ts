/**
 * A WebSocket for subscriptions. It opens with the first one.
 * @module
 */

import type { Listener } from './eip1193.ts'
import { ConnectionError, type ErrorObject, rpcError } from './errors.ts'

interface Waiting {
  readonly method: string
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export class SubscriptionSocket {
  readonly #url: URL
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #waiting = new Map<number, Waiting>()
  #opening: Promise<WebSocket> | undefined
  #lastId = 0

  /** @param url of the HTTP endpoint; the WebSocket is at the same place */
  constructor(url: URL) {
    this.#url = new URL(url)
    this.#url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  }

  get isOpen(): boolean {
    return this.#opening !== undefined
  }

  /** @throws {ConnectionError} when the node has no WebSocket here */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    this.#opening ??= this.#open()
    const socket = await this.#opening
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#waiting.set(id, { method, resolve, reject })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  on(event: string, listener: Listener): void {
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners.add(listener))
  }

  removeListener(event: string, listener: Listener): void {
    this.#listeners.get(event)?.delete(listener)
  }

  #open(): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url)
      socket.onopen = () => resolve(socket)
      socket.onmessage = ({ data }) => this.#receive(data)
      socket.onclose = () => {
        const error = new ConnectionError('The WebSocket is closed.')
        reject(error)
        this.#closed(error)
      }
    })
  }

  #closed(error: ConnectionError): void {
    this.#opening = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    this.#emit('disconnect', error)
  }

  #receive(data: unknown): void {
    const message = parse(data)
    if (message?.method === 'eth_subscription') {
      this.#emit('message', { type: 'eth_subscription', data: message.params })
      return
    }
    const waiting = this.#waiting.get(Number(message?.id))
    if (message === undefined || waiting === undefined) return
    this.#waiting.delete(Number(message.id))
    if (message.error === undefined) waiting.resolve(message.result)
    else waiting.reject(rpcError(waiting.method, message.error))
  }

  #emit(event: string, value: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value)
  }
}

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: ErrorObject
}

function parse(data: unknown): Message | undefined {
  try {
    const message: unknown = JSON.parse(String(data))
    return typeof message === 'object' && message !== null ? message : undefined
  } catch {
    return undefined
  }
}
