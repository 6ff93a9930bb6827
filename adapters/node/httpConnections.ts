/**
 * What waits to be sent over each HTTP connection, and the requests that wait for it: a client that pipelines and does not
 * read gets no further answers until it does.
 * @module
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { MAX_PIPELINED_BYTES, MAX_PIPELINED_REQUESTS, RESPONSE_OVERHEAD_BYTES } from '../../src/config/limits.ts'
import type { OutboundAccount, OutboundBudget } from '../../src/rpc/outboundBudget.ts'

/** What a request that waits takes beside its body (estimate): Node's objects for it and its response. */
const REQUEST_OVERHEAD_BYTES = 3072

interface WaitingRequest {
  readonly bytes: number
  readonly run: () => void
}

export class HttpConnections {
  readonly #budget: OutboundBudget
  readonly #connections = new WeakMap<Socket, HttpConnection>()

  constructor(budget: OutboundBudget) {
    this.#budget = budget
  }

  of(socket: Socket): HttpConnection {
    const known = this.#connections.get(socket)
    if (known !== undefined) return known
    const connection = new HttpConnection(this.#budget, socket)
    this.#connections.set(socket, connection)
    return connection
  }
}

export class HttpConnection {
  readonly outbound: OutboundAccount
  readonly #socket: Socket
  #waiting: WaitingRequest[] = []
  #waitingBytes = 0

  constructor(budget: OutboundBudget, socket: Socket) {
    this.#socket = socket
    this.outbound = budget.open({ end: () => socket.destroy() })
    socket.once('close', () => {
      this.#waiting = []
      this.outbound.close()
    })
  }

  /** Runs a request as soon as there is room for its answer, after those that came before it. */
  begin(bytes: number, run: () => void): void {
    const { outbound } = this
    const isFree = outbound.backlog === 0 || outbound.hasTurn
    if (this.#waiting.length === 0 && outbound.mayBegin && isFree) run()
    else this.#wait({ bytes: bytes + REQUEST_OVERHEAD_BYTES, run })
  }

  /** Counts a response, to which the whole body was given, until it has left. */
  count(response: ServerResponse, bytes: number): void {
    const all = bytes + RESPONSE_OVERHEAD_BYTES
    const { outbound } = this
    outbound.add(all)
    response.once('finish', () => outbound.sent(all))
  }

  #wait(request: WaitingRequest): void {
    this.#waiting.push(request)
    this.#waitingBytes += request.bytes
    this.outbound.queue(request.bytes)
    if (this.#waiting.length > MAX_PIPELINED_REQUESTS || this.#waitingBytes > MAX_PIPELINED_BYTES) {
      this.#socket.destroy()
    } else if (this.#waiting.length === 1) this.#goOn()
  }

  #goOn(): void {
    this.outbound.inTurn(() => {
      let begun = 0
      while (begun < this.#waiting.length && this.outbound.mayBegin && (begun === 0 || this.outbound.hasTurn)) {
        const { run, bytes } = this.#waiting[begun++] as WaitingRequest
        this.#waitingBytes -= bytes
        this.outbound.queue(-bytes)
        run()
      }
      this.#waiting = this.#waiting.slice(begun)
      if (this.#waiting.length > 0) this.#goOn()
    })
  }
}
