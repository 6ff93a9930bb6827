/**
 * Answers plain JSON-RPC requests on their connections without node:http, whose parser and objects take longer than most
 * answers. A connection is passed to node:http, for the rest of its lifetime, with the first data that is anything but
 * one complete plain request. fetch, node:http and curl write head and body at once; clients that write the body
 * separately, such as Python's http.client, are always served by node:http.
 * @module
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { MIN_COMPRESSED_LENGTH, STREAM_PENDING_BYTES } from '../../../src/base/limits/limits.ts'
import { acceptedCoding } from '../../../src/http/contentCoding.ts'
import { type PlainHead, readPlainHead } from '../../../src/http/plainRequest.ts'
import type { Answer, Headers, HttpPolicy } from '../../../src/http/policy.ts'
import type { HttpExchange, HttpReply } from '../../../src/http/rpcExchange.ts'
import type { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import { DirectResponse, httpDate, statusLine } from './directResponse.ts'
import type { HttpConnection, HttpConnections } from './httpConnections.ts'
import { send } from './sendReply.ts'

export interface DirectOptions {
  readonly policy: HttpPolicy
  readonly exchange: HttpExchange
  readonly connections: HttpConnections
  readonly compresses: boolean
  readonly headersTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  readonly stallMs: number
  /** Called with the first request of a connection. */
  readonly onUsed: (socket: Socket) => void
}

/** A request whose head has been read, with the headers of its answer. */
interface Admitted {
  readonly head: PlainHead
  readonly headers: Headers
  /** `headers` as header lines. */
  readonly lines: string
}

const HEAD_END = Buffer.from('\r\n\r\n')
/** Longer heads are left to node:http. */
const MAX_HEAD_BYTES = 4096
/** Longer bodies are written separately from the header lines. */
const MAX_JOINED_LENGTH = 16_384
/** Reading pauses while more than this many bytes wait behind an unanswered request. */
const MAX_EARLY_BYTES = 65_536
const TIMED_OUT = `${statusLine(408)}Connection: close\r\n\r\n`
const GONE = 'the client has disconnected'

/** The connections of a server that have not been handed to node:http. */
export class DirectConnections {
  readonly options: DirectOptions
  readonly keepAlive: string
  isClosing = false
  readonly #passOn: (socket: Socket) => void
  readonly #open = new Set<DirectConnection>()
  readonly #ownSockets = new WeakSet<Socket>()

  /** Takes over the new connections of `server`, which must have no connection listener but its own. */
  constructor(server: Server, options: DirectOptions) {
    this.options = options
    this.keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(options.keepAliveTimeoutMs / 1000)}\r\n`
    const [listener] = server.listeners('connection')
    this.#passOn = (socket) => listener?.call(server, socket)
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      // A connection is reported again when a request on it has offered another protocol.
      if (this.#ownSockets.has(socket)) this.#passOn(socket)
      else {
        this.#ownSockets.add(socket)
        this.#open.add(new DirectConnection(socket, this))
      }
    })
  }

  /** @param data that node:http reads first */
  passOn(connection: DirectConnection, socket: Socket, data: Buffer): void {
    this.#open.delete(connection)
    this.#passOn(socket)
    socket.emit('data', data)
  }

  forget(connection: DirectConnection): void {
    this.#open.delete(connection)
  }

  /** Closes idle connections; the others close after their answers. */
  close(): void {
    this.isClosing = true
    for (const connection of this.#open) connection.close()
  }
}

class DirectConnection {
  readonly #socket: Socket
  readonly #owner: DirectConnections
  #connection: HttpConnection | undefined
  /** The last head and its bytes as text: clients usually repeat it. */
  #headText = ''
  #admitted: Admitted | undefined
  /** Whether a request is being answered. */
  #isBusy = false
  #hasAnswered = false
  /** Data that arrived before the previous request was answered. */
  #early: Buffer | undefined
  /** The request in progress, unless it is synchronous. */
  #pending: Pick<RpcRequestContext, 'abort'> | undefined

  constructor(socket: Socket, owner: DirectConnections) {
    this.#socket = socket
    this.#owner = owner
    socket.setTimeout(owner.options.headersTimeoutMs)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', ignore)
    socket.on('timeout', this.#onTimeout)
    socket.on('close', this.#onClose)
  }

  close(): void {
    if (!this.#isBusy) this.#socket.destroy()
  }

  readonly #onData = (data: Buffer): void => {
    if (this.#socket.writableEnded) return
    if (this.#isBusy) {
      this.#early = this.#early === undefined ? data : Buffer.concat([this.#early, data])
      if (this.#early.length > MAX_EARLY_BYTES) this.#socket.pause()
      return
    }
    const bodyAt = data.indexOf(HEAD_END) + HEAD_END.length
    const admitted = bodyAt <= HEAD_END.length + MAX_HEAD_BYTES ? this.#read(data, bodyAt) : undefined
    if (admitted === undefined) {
      this.#passOn(data)
      return
    }
    const { options } = this.#owner
    if (this.#connection === undefined) {
      this.#connection = options.connections.of(this.#socket)
      options.onUsed(this.#socket)
    }
    const connection = this.#connection
    this.#isBusy = true
    connection.arrived()
    if ('kind' in admitted) {
      this.#refuse(admitted)
      return
    }
    const body = data.toString('utf8', bodyAt)
    connection.begin(data.length - bodyAt, () => this.#answer(admitted, body, connection))
  }

  /** @returns undefined unless `data` is one complete plain request */
  #read(data: Buffer, bodyAt: number): Admitted | Answer | undefined {
    if (bodyAt < HEAD_END.length) return undefined
    const bodyBytes = data.length - bodyAt
    const text = data.toString('latin1', 0, bodyAt - HEAD_END.length)
    const last = this.#admitted
    if (last !== undefined && text === this.#headText) return last.head.contentLength === bodyBytes ? last : undefined
    const { policy, connections } = this.#owner.options
    const head = readPlainHead(text)
    if (head === undefined || head.contentLength !== bodyBytes || bodyBytes > policy.maxBodyBytes) return undefined
    const decision = policy.decide(head.facts, connections.of(this.#socket))
    if (decision.kind === 'answer') return decision
    if (decision.kind !== 'rpc') return undefined
    const { headers } = decision
    let lines = ''
    for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
    this.#headText = text
    this.#admitted = { head, headers, lines }
    return this.#admitted
  }

  #refuse({ status, headers, body }: Answer): void {
    const response = this.#open()
    response.writeHead(status, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) })
    response.end(body)
  }

  #answer(admitted: Admitted, body: string, connection: HttpConnection): void {
    const { exchange } = this.#owner.options
    const { authorization } = admitted.head.facts
    const { outbound, rate } = connection
    const reply = exchange.handle({ body, authorization, onPending: this.#onPending, outbound, rate, peer: connection })
    if (reply instanceof Promise) void reply.then((settled) => this.#send(settled, admitted, connection))
    else this.#send(reply, admitted, connection)
  }

  readonly #onPending = (pending: Pick<RpcRequestContext, 'abort'>): void => {
    this.#pending = pending
    if (this.#socket.destroyed) pending.abort(new DOMException(GONE, 'AbortError'))
  }

  #send(reply: HttpReply, admitted: Admitted, connection: HttpConnection): void {
    const socket = this.#socket
    // node:http does not answer a client that has ended its side either.
    if (socket.destroyed || socket.writableEnded) return
    const { status, body } = reply
    if (status !== 200 || reply.stream !== undefined || body.length > STREAM_PENDING_BYTES || this.#owner.isClosing) {
      this.#sendResponse(reply, admitted, connection)
      return
    }
    if (body.length >= MIN_COMPRESSED_LENGTH && this.#coding(admitted) !== undefined) {
      this.#sendResponse(reply, admitted, connection)
      return
    }
    const length = Buffer.byteLength(body)
    const encoding = length === body.length ? 'latin1' : 'utf8'
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n${admitted.lines}Date: ${httpDate()}\r\n${this.#owner.keepAlive}\r\n`
    if (body.length > MAX_JOINED_LENGTH) {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body, encoding)
      socket.uncork()
    } else socket.write(head + body, encoding)
    if (socket.writableLength > 0) connection.countWritten(encoding === 'latin1' ? length : 2 * length)
    this.#ended()
  }

  #coding({ head }: Admitted): string | undefined {
    const { acceptEncoding } = head
    return this.#owner.options.compresses && acceptEncoding !== undefined ? acceptedCoding(acceptEncoding) : undefined
  }

  #sendResponse(reply: HttpReply, { head, headers }: Admitted, connection: HttpConnection): void {
    const { compresses, stallMs } = this.#owner.options
    send(this.#open(), reply, headers, compresses ? head.acceptEncoding : undefined, connection, stallMs)
  }

  /** Opens an answer that is written in parts. */
  #open(): DirectResponse {
    const response = new DirectResponse(this.#socket, this.#owner.keepAlive, this.#owner.isClosing)
    response.once('finish', () => this.#ended(response.isLast))
    return response
  }

  /** Continues after an answer, unless it is the last one of the connection. */
  #ended(isLast = false): void {
    const socket = this.#socket
    this.#isBusy = false
    this.#pending = undefined
    if (!this.#hasAnswered) {
      this.#hasAnswered = true
      socket.setTimeout(this.#owner.options.keepAliveTimeoutMs)
    }
    if (isLast || this.#owner.isClosing) {
      socket.end()
      return
    }
    const early = this.#early
    if (early === undefined) return
    // A client that does not wait for answers is handed to node:http.
    this.#early = undefined
    this.#passOn(early)
    if (early.length > MAX_EARLY_BYTES) socket.resume()
  }

  #passOn(data: Buffer): void {
    const socket = this.#socket
    socket.setTimeout(0)
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('error', ignore)
    socket.off('timeout', this.#onTimeout)
    socket.off('close', this.#onClose)
    this.#owner.passOn(this, socket, data)
  }

  readonly #onEnd = (): void => {
    this.#abort()
    this.#socket.end()
  }

  readonly #onClose = (): void => {
    this.#owner.forget(this)
    this.#abort()
  }

  readonly #onTimeout = (): void => {
    if (this.#isBusy) return
    if (this.#hasAnswered) this.#socket.destroy()
    else this.#socket.end(TIMED_OUT)
  }

  #abort(): void {
    this.#pending?.abort(new DOMException(GONE, 'AbortError'))
    this.#pending = undefined
  }
}

function ignore(): void {}
