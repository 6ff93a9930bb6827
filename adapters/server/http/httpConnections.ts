/**
 * Unsent bytes of each HTTP connection, and the requests held back because of them: a client that pipelines without
 * reading gets no further answers until it reads.
 * @module
 */

import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { MAX_PIPELINED_BYTES, MAX_PIPELINED_REQUESTS } from '../../../src/base/limits/limits.ts'
import { UNKNOWN_CLIENT } from '../../../src/http/requestConnection.ts'
import type { OutboundAccount, OutboundBudget } from '../../../src/rpc/connection/outboundBudget.ts'
import type { RateLimit } from '../../../src/rpc/connection/rateLimit.ts'
import type { ConnectionPeer } from '../../../src/rpc/requestContext.ts'
import { ReadTurns, type TurnState } from './readTurns.ts'

/** Memory of an unsent answer in addition to its text (estimate). */
const RESPONSE_OVERHEAD_BYTES = 4096

/** Memory of a waiting request in addition to its body (estimate): Node's request and response objects. */
const REQUEST_OVERHEAD_BYTES = 3072

interface WaitingRequest {
  readonly bytes: number
  readonly run: () => void
}

export class HttpConnections {
  readonly turns: ReadTurns
  readonly #budget: OutboundBudget
  readonly #newRate: (() => RateLimit) | undefined
  readonly #connections = new WeakMap<Socket, HttpConnection>()

  /** @param newRate creates the limit of a connection; undefined: unlimited */
  constructor(budget: OutboundBudget, newRate?: () => RateLimit) {
    this.#budget = budget
    this.#newRate = newRate
    this.turns = new ReadTurns(budget)
  }

  of(socket: Socket): HttpConnection {
    const openConnection = this.#connections.get(socket)
    if (openConnection !== undefined) return openConnection
    const connection = new HttpConnection(this.#budget, this.turns, socket, this.#newRate?.())
    this.#connections.set(socket, connection)
    return connection
  }
}

export class HttpConnection implements ConnectionPeer {
  readonly outbound: OutboundAccount
  /** undefined: unlimited */
  readonly rate: RateLimit | undefined
  readonly #socket: Socket
  readonly #turns: ReadTurns
  readonly #state: TurnState
  #waiting: WaitingRequest[] = []
  #waitingBytes = 0

  constructor(budget: OutboundBudget, turns: ReadTurns, socket: Socket, rate: RateLimit | undefined) {
    this.rate = rate
    this.#socket = socket
    this.#turns = turns
    this.#state = turns.open(socket)
    this.outbound = budget.open({ end: () => socket.destroy() })
    socket.once('close', () => {
      this.#waiting = []
      turns.forget(this.#state)
      this.outbound.close()
    })
  }

  get client(): string {
    return this.#socket.remoteAddress ?? UNKNOWN_CLIENT
  }

  arrived(): void {
    this.#turns.arrived(this.#state)
    this.outbound.isPatient = this.#state.isSequential && !this.#state.isPipelining
  }

  /** The connection was upgraded: it is no longer read in turns. */
  leave(): void {
    this.#turns.forget(this.#state)
  }

  /** Runs a request as soon as there is capacity for its answer, after the requests that precede it. */
  begin(bytes: number, run: () => void): void {
    const { outbound } = this
    const isFree = outbound.backlog === 0 || outbound.hasTurn
    if (this.#waiting.length === 0 && outbound.mayBegin && isFree) run()
    else this.#wait({ bytes: bytes + REQUEST_OVERHEAD_BYTES, run })
  }

  /** Counts a response whose body has been written completely, until it has been sent. */
  count(response: Writable, bytes: number): void {
    const all = bytes + RESPONSE_OVERHEAD_BYTES
    const { outbound } = this
    outbound.add(all)
    response.once('finish', () => outbound.sent(all))
  }

  /** Counts a response that has been written to the connection, until it has been sent. */
  countWritten(bytes: number): void {
    const all = bytes + RESPONSE_OVERHEAD_BYTES
    const { outbound } = this
    outbound.add(all)
    this.#socket.write('', () => outbound.sent(all))
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
