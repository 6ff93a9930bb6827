/**
 * A server of JSON-RPC on a loopback port, in front of any methods or of another node. It counts what arrives, and
 * misbehaves as a test requires.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** Answers one request. An error that it throws becomes the error object: `code`, `message`, `data`. */
export type RemoteHandler = (method: string, params: readonly unknown[]) => unknown

/** A treatment of one HTTP request instead of an answer. */
export type RemoteFault =
  /** Closes the connection, answers with half of the text, never, with a web page, or to other requests. */
  | { readonly kind: 'cut' | 'halfJson' | 'silence' | 'html' | 'foreignIds' }
  /** Leaves out every second member of a batch; of a single request, everything. */
  | { readonly kind: 'missingMembers' }
  | { readonly kind: 'long'; readonly bytes: number }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Any text with status 200. */
  | { readonly kind: 'text'; readonly text: string }

export interface RateLimit {
  readonly perSecond: number
  /** Requests that are allowed at once; default: those of a second. */
  readonly burst?: number
  /** Default: requests over HTTP. */
  readonly counts?: 'requests' | 'calls'
  /** Default: status 429 without a body. */
  readonly refusal?:
    | { readonly retryAfterSeconds: number }
    /** With status 200, as some providers do it: for the whole, or for each member. */
    | { readonly error: { readonly code: number; readonly message: string }; readonly each?: boolean }
}

interface Call {
  readonly id?: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

export class RemoteProxy {
  /** Delay of each answer. */
  latencyMs = 0
  rate: RateLimit | undefined
  /** Largest batch; 0: no batches. Larger ones are refused in the words of geth. */
  maxBatch: number = Number.POSITIVE_INFINITY
  /** Asked for each HTTP request, whose number begins with 1. */
  fault: ((request: number, calls: readonly Call[]) => RemoteFault | undefined) | undefined
  /** Changes a result. It is given a copy. */
  lie: ((method: string, params: readonly unknown[], result: unknown) => unknown) | undefined
  /** HTTP requests and messages of WebSockets, also those that were refused. */
  requests = 0
  /** Requests of JSON-RPC that were answered. */
  calls = 0
  /** HTTP requests that the limit of rate refused. */
  refused = 0
  /** Requests in progress, and the most that there were. */
  parallel = 0
  maxParallel = 0
  bytesReceived = 0
  bytesSent = 0
  /** Answered requests by method. */
  readonly methods = new Map<string, number>()
  /** Numbers of requests of JSON-RPC in each HTTP request. */
  readonly batches: number[] = []
  /** Headers of the last HTTP request, or of the last handshake. */
  lastHeaders: IncomingMessage['headers'] = {}
  readonly #handler: RemoteHandler
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #webSockets = new WebSocketServer({ noServer: true })
  #tokens: number | undefined
  #tokensMs = 0

  private constructor(handler: RemoteHandler) {
    this.#handler = handler
    this.#server = createServer((request, response) => void this.#answer(request, response))
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#server.on('upgrade', (request, socket, head) => {
      this.lastHeaders = request.headers
      this.#webSockets.handleUpgrade(request, socket, head, (connection) => this.#serve(connection))
    })
  }

  /** @param target methods, or the URL of a node */
  static async start(target: RemoteHandler | string): Promise<RemoteProxy> {
    const proxy = new RemoteProxy(typeof target === 'string' ? forwardTo(target) : target)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${this.port}`
  }

  resetCounters(): void {
    this.requests = this.calls = this.refused = this.maxParallel = this.bytesReceived = this.bytesSent = 0
    this.methods.clear()
    this.batches.length = 0
  }

  /** Ends all connections; the port refuses new ones. */
  async close(): Promise<void> {
    for (const client of this.#webSockets.clients) client.terminate()
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.lastHeaders = request.headers
    const body = await bodyOf(request)
    const { status, headers, text, isCut } = await this.#reply(body)
    if (isCut) request.socket.destroy()
    else if (status !== 0) response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }

  #serve(connection: WebSocket): void {
    connection.on('message', async (data) => {
      const { status, text, isCut } = await this.#reply(String(data))
      if (isCut) connection.terminate()
      else if (status !== 0) connection.send(text)
    })
  }

  async #reply(body: string): Promise<Reply> {
    const json = JSON.parse(body) as Call | readonly Call[]
    const calls = Array.isArray(json) ? (json as readonly Call[]) : [json as Call]
    const number = ++this.requests
    this.bytesReceived += body.length
    this.batches.push(calls.length)
    this.maxParallel = Math.max(this.maxParallel, ++this.parallel)
    try {
      await passed(this.latencyMs)
      const reply = this.#limited(calls) ?? (await this.#faulty(number, calls, Array.isArray(json)))
      this.bytesSent += reply.text.length
      return reply
    } finally {
      this.parallel--
    }
  }

  async #faulty(number: number, calls: readonly Call[], isBatch: boolean): Promise<Reply> {
    const fault = this.fault?.(number, calls)
    if (fault !== undefined && !NEEDS_ANSWER.has(fault.kind)) return faultReply(fault)
    if (isBatch && calls.length > this.maxBatch) {
      const error = this.maxBatch === 0 ? { code: -32600, message: 'invalid request' } : BATCH_TOO_LARGE
      return ok(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    }
    const answers = await Promise.all(calls.map((call) => this.#answerTo(call)))
    if (fault?.kind === 'foreignIds') for (const answer of answers) answer.id = 1e9
    const kept = fault?.kind === 'missingMembers' ? answers.filter((_, i) => i % 2 === 1) : answers
    const text = JSON.stringify(isBatch ? kept : (kept[0] ?? {}))
    return fault?.kind === 'halfJson' ? ok(text.slice(0, text.length / 2)) : ok(text)
  }

  async #answerTo({ id, method, params = [] }: Call): Promise<{ id: unknown }> {
    this.calls++
    this.methods.set(method, (this.methods.get(method) ?? 0) + 1)
    try {
      const result = (await this.#handler(method, params)) ?? null
      const told = this.lie === undefined ? result : this.lie(method, params, structuredClone(result))
      return { jsonrpc: '2.0', id, result: told } as { id: unknown }
    } catch (error) {
      const { code = -32603, message, data } = error as { code?: number; message: string; data?: unknown }
      return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } } as {
        id: unknown
      }
    }
  }

  #limited(calls: readonly Call[]): Reply | undefined {
    const { rate } = this
    if (rate === undefined) return undefined
    const now = performance.now()
    const burst = rate.burst ?? rate.perSecond
    const grown = ((now - this.#tokensMs) * rate.perSecond) / 1000
    const tokens = Math.min(burst, (this.#tokens ?? burst) + grown)
    const cost = rate.counts === 'calls' ? calls.length : 1
    this.#tokensMs = now
    this.#tokens = tokens >= cost ? tokens - cost : tokens
    if (tokens >= cost) return undefined
    this.refused++
    const { refusal } = rate
    if (refusal === undefined) return { ...ok(''), status: 429 }
    if ('retryAfterSeconds' in refusal)
      return { ...ok(''), status: 429, headers: { 'retry-after': String(refusal.retryAfterSeconds) } }
    const { error, each = false } = refusal
    const members = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
    return ok(JSON.stringify(each ? (calls.length === 1 ? members[0] : members) : { jsonrpc: '2.0', id: null, error }))
  }
}

const BATCH_TOO_LARGE = { code: -32600, message: 'batch too large' }
/** Faults that change an answer. */
const NEEDS_ANSWER: ReadonlySet<RemoteFault['kind']> = new Set(['halfJson', 'foreignIds', 'missingMembers'])

interface Reply {
  /** 0: no answer */
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text: string
  /** The connection ends instead. */
  readonly isCut?: boolean
}

function ok(text: string): Reply {
  return { status: 200, text }
}

function faultReply(fault: RemoteFault): Reply {
  switch (fault.kind) {
    case 'cut':
      return { status: 0, text: '', isCut: true }
    case 'silence':
      return { status: 0, text: '' }
    case 'html':
      return { status: 200, headers: { 'content-type': 'text/html' }, text: '<!doctype html><title>Welcome</title>' }
    case 'long':
      return ok(`{"jsonrpc":"2.0","id":1,"result":"0x${'00'.repeat(fault.bytes / 2)}"}`)
    case 'status':
      return { status: fault.status, headers: fault.headers ?? {}, text: '' }
    case 'text':
      return ok(fault.text)
    default:
      throw new Error(`${fault.kind} needs an answer`)
  }
}

/** Without a timer where none is needed, so that a test with many requests is fast. */
function passed(ms: number): Promise<void> | undefined {
  return ms === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function forwardTo(url: string): RemoteHandler {
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await response.json()) as { result?: unknown; error?: object }
    if (error !== undefined) throw error
    return result
  }
}
