/**
 * Output of one connection, in order: whole messages, and long ones in fragments while they are produced. Other messages
 * cannot be sent between the fragments of a message, so they wait for its end.
 * @see RFC 6455 section 5.4
 * @module
 */

import { RESPONSE_STALL_MS, WEBSOCKET_BACKLOG_BYTES } from '../base/limits/limits.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { ByteStream } from '../base/primitives/byteStream.ts'
import { characterBytes } from '../base/primitives/textMemory.ts'
import type { OutboundAccount } from '../rpc/connection/outboundBudget.ts'
import type { SocketPort } from './socketPort.ts'

export interface OutboxOptions {
  readonly port: SocketPort
  readonly outbound?: Pick<OutboundAccount, 'observe'> | undefined
  readonly timers: Timers
  /** Maximum of unsent bytes, not counting the largest message. */
  readonly maxBacklogBytes: number
  readonly stallMs?: number | undefined
  /** Called when the connection must be terminated. */
  terminate(reason: string): void
}

interface LongMessage {
  readonly stream: ByteStream
  readonly sent: () => void
}

export class Outbox {
  readonly #options: OutboxOptions
  readonly #stallMs: number
  /** Messages that wait for the end of the long message in transmission. */
  #waiting: (string | LongMessage)[] = []
  #waitingLength = 0
  /** Length of the longest text since the peer last had no backlog. */
  #longest = 0
  /** Memory of an unsent character in bytes. */
  #characterBytes: 1 | 2 = 1
  #isSendingLong = false
  /** Bytes of the fragment in transmission. */
  #fragmentBytes = 0
  #isClosed = false
  #onClose: (() => void) | undefined

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#stallMs = options.stallMs ?? RESPONSE_STALL_MS
  }

  /** Bytes that have not left the process (estimate). */
  get backlog(): number {
    return this.#options.port.bufferedAmount() + this.#waitingLength
  }

  /** Memory of the backlog (estimate), without long messages: their streams count for themselves. */
  get memory(): number {
    return Math.max(0, this.backlog - this.#fragmentBytes) * this.#characterBytes
  }

  send(text: string): void {
    const { port, maxBacklogBytes, terminate, outbound } = this.#options
    const { backlog } = this
    outbound?.observe(this.memory)
    if (backlog <= WEBSOCKET_BACKLOG_BYTES) this.#longest = 0
    if (backlog === 0) this.#characterBytes = 1
    if (backlog > maxBacklogBytes + this.#longest) {
      terminate('the peer does not read')
      return
    }
    this.#longest = Math.max(this.#longest, text.length)
    if (!this.#isSendingLong) port.send(text)
    else {
      this.#waiting.push(text)
      this.#waitingLength += text.length
    }
    if (this.memory > 0 && this.#characterBytes === 1) this.#characterBytes = characterBytes(text)
    outbound?.observe(this.memory)
  }

  /** @param sent called when everything was sent; never if the connection ends first */
  sendLong(stream: ByteStream, sent: () => void): void {
    const message = { stream, sent }
    if (this.#isSendingLong) this.#waiting.push(message)
    else void this.#fragments(message)
  }

  close(): void {
    this.#isClosed = true
    this.#waiting = []
    this.#onClose?.()
  }

  async #fragments({ stream, sent }: LongMessage): Promise<void> {
    this.#isSendingLong = true
    try {
      for (let isLast = false; !isLast; ) {
        const chunk = await stream.read()
        if (this.#isClosed) return
        isLast = chunk === undefined || stream.isAtEnd
        await this.#fragment(chunk ?? new Uint8Array(0), isLast)
      }
    } catch (error) {
      stream.break(error)
      if (!this.#isClosed) this.#options.terminate('an answer could not be sent completely')
      return
    }
    this.#isSendingLong = false
    sent()
    this.#sendWaiting()
  }

  /** Resolves when the bytes have been sent. */
  #fragment(chunk: Uint8Array, isLast: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        timer.cancel()
        this.#onClose = undefined
        this.#fragmentBytes = 0
        settle()
      }
      const fail = (): void => end(() => reject(new DOMException('the peer does not read', 'TimeoutError')))
      const timer = this.#options.timers.schedule(this.#stallMs, fail)
      this.#onClose = fail
      this.#fragmentBytes = chunk.length
      this.#options.port.sendFragment?.(chunk, isLast, () => end(resolve))
    })
  }

  #sendWaiting(): void {
    while (!this.#isSendingLong) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      if (typeof next === 'string') {
        this.#waitingLength -= next.length
        this.#options.port.send(next)
      } else void this.#fragments(next)
    }
  }
}
