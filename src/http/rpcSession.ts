/**
 * One connection of a WebSocket or a socket of the host (IPC), independent of the runtime: messages in, answers and
 * notifications out.
 *
 * Messages begin in order and are answered when they complete. Everything is bounded: beyond
 * MAX_WEBSOCKET_RUNNING_MESSAGES, while the peer has unread output, or when it has used its time slice, messages wait
 * and the connection is not read. A peer whose backlog still grows (notifications, slow answers) is disconnected.
 * @see docs/reference/rpc-envelope.md section 11
 * @module
 */

import type { Subscriber } from '../api/feeds/subscriptionHub.ts'
import {
  MAX_WEBSOCKET_BACKLOG_BYTES,
  MAX_WEBSOCKET_RUNNING_MESSAGES,
  MAX_WEBSOCKET_WAITING_BYTES,
  RPC_TIME_SLICE_MS,
  WEBSOCKET_ABORT_MS,
  WEBSOCKET_BACKLOG_BYTES,
  WEBSOCKET_PAUSE_BYTES,
  WEBSOCKET_PROCESSING_TIMEOUT_MS,
} from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import { MAX_TIMER_MS, type Timer, type Timers } from '../base/ports/timers.ts'
import type { ByteStream } from '../base/primitives/byteStream.ts'
import type { OutboundAccount, OutboundBudget } from '../rpc/connection/outboundBudget.ts'
import type { Principal } from '../rpc/connection/principal.ts'
import { RateLimit } from '../rpc/connection/rateLimit.ts'
import type { Envelope } from '../rpc/envelope.ts'
import { isPromise } from '../rpc/invoke.ts'
import type { Reply } from '../rpc/reply.ts'
import { RpcRequestContext } from '../rpc/requestContext.ts'
import type { Authenticate } from './access/contract.ts'
import { Outbox } from './rpcOutbox.ts'
import type { SocketPort } from './socketPort.ts'

export interface RpcSessionOptions {
  /** For the log; default: WebSocket. */
  readonly transport?: 'WebSocket' | 'IPC'
  readonly envelope: Pick<Envelope<never>, 'handle' | 'served' | 'refuse'>
  readonly logger: Logger
  readonly clock: Pick<Clock, 'monotonic' | 'now'>
  readonly timers: Timers
  /** Called for each message with the header of the upgrade, since a token may expire. */
  readonly authenticate?: Authenticate | undefined
  /** Time limit for one message including its whole batch; default 300 s. */
  readonly timeoutMs?: number
  /** Requests of one connection per second; default: unlimited. */
  readonly maxRequestsPerSecond?: number | undefined
  /** Unsent bytes of all connections; undefined when the host bounds them. */
  readonly outbound?: OutboundBudget | undefined
  /** Default: MAX_WEBSOCKET_BACKLOG_BYTES. */
  readonly maxBacklogBytes?: number
  /** A peer that reads nothing of a long answer for this time is disconnected. */
  readonly stallMs?: number
}

type Message = string | Uint8Array

/** Codes of close frames (RFC 6455 section 7.4.1). */
const NORMAL = 1000
const UNREADABLE = 1007
const POLICY_VIOLATION = 1008
/** Memory of a waiting message in addition to its characters. */
const MESSAGE_OVERHEAD_BYTES = 64
/** Interval for checking whether a peer with a backlog has caught up. */
const MIN_BACKLOG_CHECK_MS = 5
const MAX_BACKLOG_CHECK_MS = 100

/** Memory of a waiting message, including the buffers in which it arrived (estimate). */
function memoryOf({ length }: Message): number {
  return 2 * length + MESSAGE_OVERHEAD_BYTES
}

export class RpcSession implements Subscriber {
  readonly #options: RpcSessionOptions
  readonly #port: SocketPort
  readonly #authorization: string | undefined
  readonly #timeoutMs: number
  readonly #maxBacklogBytes: number
  readonly #outbox: Outbox
  readonly #outbound: OutboundAccount | undefined
  readonly #rate: RateLimit | undefined
  /** Running calls, with the timers of their time limits. */
  readonly #running = new Map<RpcRequestContext, Timer | undefined>()
  readonly #closeListeners: (() => void)[] = []
  /** Messages that have not begun, in order. */
  #waiting: Message[] = []
  #waitingBytes = 0
  /** Notifications that must follow the answers of their subscriptions. */
  #held: string[] = []
  #heldLength = 0
  /** A message waits for its caller; the following ones wait for it. */
  #isAuthenticating = false
  /** Latest end of the current time slice. */
  #turnEnd: number | undefined
  #check: Timer | undefined
  /** Ends the connection with the token. */
  #expiry: Timer | undefined
  #checkMs = MIN_BACKLOG_CHECK_MS
  #isPaused = false
  /** The peer sends nothing more. */
  #isFinishing = false
  #isClosed = false

  /** @param authorization the `Authorization` header of the upgrade */
  constructor(options: RpcSessionOptions, port: SocketPort, authorization: string | undefined) {
    this.#options = options
    this.#port = port
    this.#authorization = authorization
    this.#timeoutMs = options.timeoutMs ?? WEBSOCKET_PROCESSING_TIMEOUT_MS
    this.#maxBacklogBytes = options.maxBacklogBytes ?? MAX_WEBSOCKET_BACKLOG_BYTES
    const { maxRequestsPerSecond } = options
    this.#rate = maxRequestsPerSecond === undefined ? undefined : new RateLimit(maxRequestsPerSecond, options.clock)
    this.#outbound = options.outbound?.open({
      end: (reason) => this.#terminate(reason),
      measure: () => this.#outbox.memory + this.#heldLength,
    })
    this.#outbox = new Outbox({
      port,
      outbound: this.#outbound,
      timers: options.timers,
      maxBacklogBytes: this.#maxBacklogBytes,
      stallMs: options.stallMs,
      terminate: (reason) => this.#terminate(reason),
    })
  }

  get #transport(): string {
    return this.#options.transport ?? 'WebSocket'
  }

  /** Whether reading is paused: answers to pings cannot arrive. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Whether the peer has unread output. */
  get isBehind(): boolean {
    return this.#heldLength > 0 || this.#isBehind()
  }

  /** Accepts one message of the peer. */
  receive(message: Message): void {
    if (this.#isClosed) return
    if (this.#waiting.length === 0 && this.#mayBegin()) this.#begin(message)
    else this.#wait(message)
  }

  /** Sends a notification. While a subscription is being answered, notifications wait for the answer. */
  send(text: string): void {
    if (this.#isClosed) return
    if (!this.#isAnsweringSubscription()) {
      this.#transmit(text)
      return
    }
    this.#held.push(text)
    this.#heldLength += text.length
    this.#outbound?.measure()
    if (this.#heldLength > this.#maxBacklogBytes) this.#terminate('too many notifications before the answer')
  }

  onClose(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#closeListeners.push(listener)
  }

  /** Ends the connection once all messages are answered: the peer sends nothing more, but may still read. */
  finish(): void {
    this.#isFinishing = true
    this.#closeIfFinished()
  }

  /** Sends the error for what cannot be read as a message, and ends the connection. */
  refuse(code: string): void {
    this.#transmit(this.#options.envelope.refuse(code))
    this.close(UNREADABLE, 'the data cannot be read')
  }

  /** Sends a close frame and aborts running calls. */
  close(code: number, reason: string): void {
    if (this.#isClosed) return
    this.#port.close(code, reason)
    this.closed()
  }

  /** To be called when the connection is closed: aborts running calls. Idempotent. */
  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#outbound?.close()
    this.#check?.cancel()
    this.#expiry?.cancel()
    this.#outbox.close()
    this.#waiting = []
    this.#held = []
    const reason = new DOMException('the connection is closed', 'AbortError')
    for (const [context, timer] of this.#running) {
      timer?.cancel()
      context.abort(reason)
    }
    this.#running.clear()
    for (const listener of this.#closeListeners.splice(0)) listener()
  }

  #mayBegin(): boolean {
    return this.#hasRoom() && !this.#isBehind() && this.#hasTurn()
  }

  #isBehind(): boolean {
    if (this.#outbox.backlog > WEBSOCKET_BACKLOG_BYTES) return true
    const outbound = this.#outbound
    if (outbound === undefined) return false
    if (outbound.backlog > 0) outbound.measure()
    return !outbound.mayBegin
  }

  /** Hundreds of messages can arrive in one piece: they share one time slice. */
  #hasTurn(): boolean {
    const now = this.#options.clock.monotonic()
    if (this.#turnEnd !== undefined) return now < this.#turnEnd
    this.#turnEnd = now + RPC_TIME_SLICE_MS
    void Promise.resolve().then(() => {
      this.#turnEnd = undefined
    })
    return true
  }

  #hasRoom(): boolean {
    return !this.#isAuthenticating && this.#running.size < MAX_WEBSOCKET_RUNNING_MESSAGES
  }

  #wait(message: Message): void {
    this.#waiting.push(message)
    this.#waitingBytes += message.length + MESSAGE_OVERHEAD_BYTES
    this.#outbound?.queue(memoryOf(message))
    if (this.#isClosed) return
    if (this.#waitingBytes > MAX_WEBSOCKET_WAITING_BYTES) {
      this.#terminate('too many waiting messages')
      return
    }
    if (!this.#isPaused && (this.#waitingBytes > WEBSOCKET_PAUSE_BYTES || this.#outbound?.mayBegin === false)) {
      this.#isPaused = true
      this.#port.pause()
    }
    this.#checkLater()
  }

  /** Begins waiting messages as far as the limits allow, and resumes reading once few are left. */
  #beginWaiting(): void {
    let begun = 0
    while (begun < this.#waiting.length && this.#mayBegin()) {
      const message = this.#waiting[begun++] as Message
      this.#waitingBytes -= message.length + MESSAGE_OVERHEAD_BYTES
      this.#outbound?.queue(-memoryOf(message))
      this.#begin(message)
    }
    if (this.#isClosed) return
    if (begun > 0) this.#waiting = this.#waiting.slice(begun)
    this.#closeIfFinished()
    if (this.#isClosed) return
    const hasRoom = this.#waiting.length === 0 || this.#outbound?.mayBegin !== false
    if (this.#isPaused && hasRoom && this.#waitingBytes <= WEBSOCKET_PAUSE_BYTES / 2) {
      this.#isPaused = false
      this.#port.resume()
    }
    this.#checkLater()
  }

  /**
   * Messages that wait for a running one begin when that ends; those that wait for the peer or the next time slice,
   * later.
   */
  #checkLater(): void {
    if (this.#waiting.length === 0 || this.#check !== undefined || !this.#hasRoom()) return
    const begin = (): void => {
      this.#check = undefined
      this.#beginWaiting()
    }
    const isBehind = this.#isBehind()
    this.#checkMs = isBehind ? Math.min(2 * this.#checkMs, MAX_BACKLOG_CHECK_MS) : MIN_BACKLOG_CHECK_MS
    this.#check = this.#options.timers.schedule(isBehind ? this.#checkMs : 0, begin)
  }

  #begin(message: Message): void {
    const { authenticate } = this.#options
    if (authenticate === undefined) {
      this.#run(message, undefined)
      return
    }
    const principal = authenticate(this.#authorization)
    if (isPromise(principal)) void this.#runAuthenticated(message, principal)
    else this.#run(message, principal)
  }

  async #runAuthenticated(message: Message, authenticated: Promise<Principal>): Promise<void> {
    this.#isAuthenticating = true
    try {
      const principal = await authenticated
      if (!this.#isClosed) this.#run(message, principal)
    } catch (error) {
      this.#transmit(this.#failed(error))
    }
    this.#isAuthenticating = false
    if (!this.#isClosed) this.#beginWaiting()
  }

  #run(message: Message, principal: Principal | undefined): void {
    const { envelope } = this.#options
    if (principal?.expiresMs !== undefined && this.#expiry === undefined) this.#endAt(principal.expiresMs)
    const context = new RpcRequestContext({
      groups: envelope.served.groups,
      principal,
      subscriber: this,
      streams: this.#port.sendFragment !== undefined,
      outbound: this.#outbound,
      rate: this.#rate,
      peer: this.#port.peer,
    })
    this.#running.set(context, undefined)
    const reply = envelope.handle(message, context)
    if (isPromise(reply)) this.#limit(reply, context)
    else this.#reply(context, reply)
  }

  /** Subscriptions must not outlive the token that allowed them. */
  #endAt(expiresMs: number): void {
    const { clock, timers } = this.#options
    const remainingMs = Math.ceil(expiresMs - clock.now())
    this.#expiry = timers.schedule(Math.min(MAX_TIMER_MS, Math.max(1, remainingMs)), () => {
      if (clock.now() < expiresMs) this.#endAt(expiresMs)
      else this.close(POLICY_VIOLATION, 'the token has expired')
    })
  }

  #reply(context: RpcRequestContext, reply: Reply): void {
    const { body, stream, endsStream } = reply
    if (stream === undefined) this.#answer(context, body)
    else this.#answerLong(context, stream)
    if (endsStream === true) this.close(UNREADABLE, 'a message is not JSON')
  }

  /** The time limit applies until the answer begins. The request continues until all of it is sent. */
  #answerLong(context: RpcRequestContext, stream: ByteStream): void {
    this.#running.get(context)?.cancel()
    if (!this.#running.has(context)) return
    this.#running.set(context, undefined)
    this.#outbox.sendLong(stream, () => {
      this.#answer(context, '')
      this.#beginWaiting()
    })
  }

  /** A handler that continues beyond its time limit is abandoned after a grace period. */
  #limit(reply: Promise<Reply>, context: RpcRequestContext): void {
    const end = (body: string): void => {
      this.#answer(context, body)
      this.#beginWaiting()
    }
    const { timers } = this.#options
    const timer = timers.schedule(this.#timeoutMs, () => {
      context.abort(new DOMException('the message exceeded its time limit', 'TimeoutError'))
      const abandon = (): void => end(this.#options.envelope.refuse('TIMEOUT'))
      this.#running.set(context, timers.schedule(WEBSOCKET_ABORT_MS, abandon))
    })
    this.#running.set(context, timer)
    reply.then(
      (settled) => {
        if (settled.stream === undefined) end(settled.body)
        else this.#answerLong(context, settled.stream)
      },
      (error) => end(this.#failed(error)),
    )
  }

  /** Answers a message, once; a notification has no answer. */
  #answer(context: RpcRequestContext, body: string): void {
    this.#running.get(context)?.cancel()
    context.release()
    if (!this.#running.delete(context)) return
    if (body !== '') this.#transmit(body)
    if (this.#held.length === 0 || this.#isAnsweringSubscription()) return
    this.#heldLength = 0
    for (const text of this.#held.splice(0)) this.#transmit(text)
  }

  #closeIfFinished(): void {
    const isIdle = this.#running.size === 0 && this.#waiting.length === 0 && !this.#isAuthenticating
    if (this.#isFinishing && isIdle) this.close(NORMAL, 'all messages are answered')
  }

  #isAnsweringSubscription(): boolean {
    for (const context of this.#running.keys()) if (context.mayHaveSubscribed) return true
    return false
  }

  #transmit(text: string): void {
    if (this.#isClosed) return
    this.#outbox.send(text)
  }

  #failed(error: unknown): string {
    this.#options.logger.error(`${this.#transport} message failed`, { error })
    return this.#options.envelope.refuse('INTERNAL_ERROR')
  }

  #terminate(reason: string): void {
    const article = this.#transport === 'IPC' ? 'an' : 'a'
    this.#options.logger.warn(`terminated ${article} ${this.#transport} connection`, { reason })
    this.#port.terminate()
    this.closed()
  }
}
