/**
 * The WebSockets of subscribers. Between two blocks the object sleeps, and the platform keeps the connections.
 * @module
 */

import type { Subscriber } from '../../src/api/feeds/subscriptionHub.ts'
import {
  MAX_ATTACHED_LENGTH,
  MAX_WORKER_MESSAGE_LENGTH,
  MAX_WORKER_SOCKETS,
  WORKER_SOCKET_IDLE_MS,
  WORKER_SOCKET_POLL_MS,
} from '../../src/base/limits/limits.ts'
import type { Logger } from '../../src/base/ports/host.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import { streamBody } from '../../src/http/streamBody.ts'
import { readSubscription } from '../../src/rpc/codecs/subscription.ts'
import { INTERNAL_ERROR, toRpcError } from '../../src/rpc/errors.ts'
import { webTimers } from '../shared/webPorts.ts'
import type { EdgeNode } from './edgeNode.ts'
import { type Env, workerOptions } from './environment.ts'

/** A subscription as it outlives the sleep of the object. */
interface Kept {
  /** Hex, as the client knows it. */
  readonly id: string
  readonly params: readonly unknown[]
}

/** The attachment of a WebSocket: its subscriptions, or where they are. */
interface Attachment {
  readonly key: string
  readonly kept?: readonly Kept[]
}

/** The used part of a WebSocket of the platform. */
export interface LiveSocket {
  send(text: string): void
  close(code: number, reason: string): void
  serializeAttachment(attachment: unknown): void
  deserializeAttachment(): Attachment
}

/** The used part of the state of a Durable Object. */
export interface LiveState {
  getWebSockets(): readonly LiveSocket[]
  readonly storage: {
    get<T>(key: string): Promise<T | undefined>
    put<T>(key: string, value: T): Promise<void>
    delete(key: string): Promise<boolean>
    setAlarm(timeMs: number): Promise<void>
  }
}

export interface LiveDeps {
  readonly state: LiveState
  readonly env: Env
  readonly logger: Logger
  /** Makes a WebSocket, whose server side the platform has accepted. */
  readonly pair: () => { readonly client: WebSocket; readonly server: LiveSocket }
  /** @param seen hash of the head that subscribers know already */
  readonly open: (seen: Uint8Array | undefined) => Promise<EdgeNode>
}

interface SeenHead {
  readonly hash: Uint8Array
}

const SEEN = 'seen'
const KINDS: readonly unknown[] = ['newHeads', 'logs', 'syncing']
/** Close codes of WebSocket. */
const TOO_BIG = 1009
const TRY_AGAIN = 1013

export class LiveSockets {
  readonly #deps: LiveDeps
  readonly #state: LiveState
  readonly #env: Env
  readonly #sockets = new Map<LiveSocket, SocketSubscriber>()
  #node: Promise<EdgeNode> | undefined

  constructor(deps: LiveDeps) {
    this.#deps = deps
    this.#state = deps.state
    this.#env = deps.env
  }

  /** A WebSocket, or the news that there is a newer manifest. */
  async fetch(request: Request): Promise<Response> {
    if (request.headers.get('upgrade') !== 'websocket') {
      await this.#advance()
      return new Response()
    }
    if (this.#state.getWebSockets().length >= MAX_WORKER_SOCKETS) {
      return Response.json({ message: 'too many WebSockets' }, { status: 503 })
    }
    const refused = (await this.#opened()).refuseUpgrade(request)
    if (refused !== undefined) return refused
    const { client, server } = this.#deps.pair()
    server.serializeAttachment({ key: crypto.randomUUID(), kept: [] } satisfies Attachment)
    await this.#setAlarm()
    return switching(client)
  }

  async webSocketMessage(socket: LiveSocket, message: string | ArrayBuffer): Promise<void> {
    if (typeof message !== 'string' || message.length > MAX_WORKER_MESSAGE_LENGTH) {
      socket.close(TOO_BIG, 'expected a text of at most 1 MiB')
      return
    }
    const node = await this.#opened()
    const call = subscriptionCall(message)
    if (call !== undefined) socket.send(await this.#answer(node, socket, call))
    else {
      const { status, body, stream } = await node.ask(message)
      const text = stream === undefined ? body : await new Response(streamBody(stream, webTimers)).text()
      if (status !== 504 && text !== '') socket.send(text)
    }
  }

  async webSocketClose(socket: LiveSocket): Promise<void> {
    this.#sockets.get(socket)?.close()
    this.#sockets.delete(socket)
    await this.#state.storage.delete(attachmentOf(socket).key)
  }

  /** News may get lost, or the publisher writes to the store without the Worker. */
  async alarm(): Promise<void> {
    if (this.#state.getWebSockets().length === 0) return
    await this.#advance()
    await this.#setAlarm()
  }

  async #setAlarm(): Promise<void> {
    const hasNews = this.#env.ISONODE_PUBLISH_TOKEN !== undefined
    await this.#state.storage.setAlarm(Date.now() + (hasNews ? WORKER_SOCKET_IDLE_MS : WORKER_SOCKET_POLL_MS))
  }

  async #advance(): Promise<void> {
    if (this.#state.getWebSockets().length === 0) return
    const { replica } = await this.#opened()
    await replica.poll()
    await replica.refresh()
    await this.#keepSeen(replica.mirror.status.head)
  }

  /** A failure is not kept: the next message or look tries again. */
  #opened(): Promise<EdgeNode> {
    this.#node ??= this.#wake().catch((error: unknown) => {
      this.#node = undefined
      throw error
    })
    return this.#node
  }

  /** Continues where the object was before its sleep: subscribers get what they missed. */
  async #wake(): Promise<EdgeNode> {
    const sockets = this.#state.getWebSockets()
    const seen = sockets.length === 0 ? undefined : await this.#state.storage.get<SeenHead>(SEEN)
    const node = await this.#deps.open(seen?.hash)
    const { replica } = node
    if (replica.node.missesBlocks) {
      for (const socket of sockets) socket.close(TRY_AGAIN, 'too many blocks were missed: subscribe again')
    } else {
      const { profile } = workerOptions(this.#env)
      for (const socket of sockets) {
        for (const { id, params } of await this.#keptOf(socket)) {
          const [kind, options] = params
          const request = readSubscription(kind, options, profile)
          replica.node.subscriptions.subscribe(this.#subscriberOf(socket), request, BigInt(id))
        }
      }
    }
    await replica.refresh()
    await this.#keepSeen(replica.mirror.status.head)
    return node
  }

  async #keepSeen({ hash }: SeenHead): Promise<void> {
    await this.#state.storage.put<SeenHead>(SEEN, { hash })
  }

  async #answer({ replica }: EdgeNode, socket: LiveSocket, { id, method, params }: SubscriptionCall): Promise<string> {
    const { profile } = workerOptions(this.#env)
    const { subscriptions } = replica.node
    const subscriber = this.#subscriberOf(socket)
    try {
      const kept = await this.#keptOf(socket)
      if (method === 'eth_unsubscribe') {
        const found = kept.find((each) => each.id === params[0])
        if (found === undefined) throw new NodeError({ code: 'SUBSCRIPTION_NOT_FOUND' }, 'subscription not found')
        subscriptions.unsubscribe(subscriber, BigInt(found.id))
        await this.#keep(
          socket,
          kept.filter((each) => each !== found),
        )
        return resultText(id, true)
      }
      const [kind, options] = params
      if (!KINDS.includes(kind)) {
        throw new NodeError({ code: 'SUBSCRIPTION_TYPE_UNKNOWN' }, `no "${kind}" subscription in eth namespace`)
      }
      const made = `0x${subscriptions.subscribe(subscriber, readSubscription(kind, options, profile)).toString(16)}`
      await this.#keep(socket, [...kept, { id: made, params }])
      return resultText(id, made)
    } catch (error) {
      const known = toRpcError(error, profile)
      if (known === undefined) this.#deps.logger.error('a subscription failed', { error })
      return JSON.stringify({ jsonrpc: '2.0', id, error: known ?? INTERNAL_ERROR })
    }
  }

  #subscriberOf(socket: LiveSocket): SocketSubscriber {
    const known = this.#sockets.get(socket)
    if (known !== undefined) return known
    const subscriber = new SocketSubscriber(socket)
    this.#sockets.set(socket, subscriber)
    return subscriber
  }

  async #keptOf(socket: LiveSocket): Promise<readonly Kept[]> {
    const { key, kept } = attachmentOf(socket)
    return kept ?? (await this.#state.storage.get<readonly Kept[]>(key)) ?? []
  }

  async #keep(socket: LiveSocket, kept: readonly Kept[]): Promise<void> {
    const { key } = attachmentOf(socket)
    if (JSON.stringify(kept).length <= MAX_ATTACHED_LENGTH) {
      socket.serializeAttachment({ key, kept } satisfies Attachment)
    } else {
      await this.#state.storage.put(key, kept)
      socket.serializeAttachment({ key } satisfies Attachment)
    }
  }
}

class SocketSubscriber implements Subscriber {
  readonly #socket: LiveSocket
  readonly #listeners: (() => void)[] = []

  constructor(socket: LiveSocket) {
    this.#socket = socket
  }

  send(text: string): void {
    try {
      this.#socket.send(text)
    } catch {
      // The platform tells of the end of the connection.
    }
  }

  onClose(listener: () => void): void {
    this.#listeners.push(listener)
  }

  close(): void {
    for (const listener of this.#listeners) listener()
  }
}

interface SubscriptionCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** The answer that gives a WebSocket to its client; its option exists on this platform only. */
function switching(webSocket: WebSocket): Response {
  const options: ResponseInit & { readonly webSocket: WebSocket } = { status: 101, webSocket }
  return new Response(null, options)
}

/** @returns undefined for any other request */
function subscriptionCall(message: string): SubscriptionCall | undefined {
  if (!message.includes('subscribe')) return undefined
  try {
    const value: unknown = JSON.parse(message)
    if (typeof value !== 'object' || value === null) return undefined
    const { id = null, method, params }: { id?: unknown; method?: unknown; params?: unknown } = value
    if (method !== 'eth_subscribe' && method !== 'eth_unsubscribe') return undefined
    return { id, method, params: Array.isArray(params) ? params : [] }
  } catch {
    return undefined
  }
}

function resultText(id: unknown, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

function attachmentOf(socket: LiveSocket): Attachment {
  return socket.deserializeAttachment()
}
