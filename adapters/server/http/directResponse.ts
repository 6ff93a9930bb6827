import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { Headers } from '../../../src/http/policy.ts'

/** The part of `ServerResponse` with which replies are sent. */
export interface ReplyTarget extends Writable {
  setHeader(name: string, value: string): unknown
  /** @param headers alternating names and values, or an object */
  writeHead(status: number, headers: Headers | string[]): unknown
}

const CHUNK_END = '\r\n'
const LAST_CHUNK = '0\r\n\r\n'

let dateText = ''
let dateSecond = 0

/** The value of the `Date` header. */
export function httpDate(): string {
  const nowMs = Date.now()
  const second = Math.floor(nowMs / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(nowMs).toUTCString()
  }
  return dateText
}

export function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
}

/**
 * An answer that is written to a connection without node:http: streamed, compressed or long. Without a `Content-Length`
 * it is sent in chunks. Destroying it destroys the connection.
 */
export class DirectResponse extends Writable implements ReplyTarget {
  readonly #socket: Socket
  readonly #keepAlive: string
  #extra = ''
  #isChunked = true
  /** Whether the connection is closed after the answer. */
  isLast: boolean
  readonly #onClose = (): void => void this.destroy()

  /** @param keepAlive header lines of an answer after which the connection remains open */
  constructor(socket: Socket, keepAlive: string, isLast: boolean) {
    super({ decodeStrings: false })
    this.#socket = socket
    this.#keepAlive = keepAlive
    this.isLast = isLast
    socket.once('close', this.#onClose)
    // The errors are those of the connection.
    this.on('error', () => {})
  }

  setHeader(name: string, value: string): void {
    if (name === 'Connection') this.isLast = value === 'close'
    else this.#extra += `${name}: ${value}\r\n`
  }

  writeHead(status: number, headers: Headers | string[]): void {
    const list = Array.isArray(headers) ? headers : Object.entries(headers).flat()
    let text = statusLine(status)
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === 'Content-Length') this.#isChunked = false
      text += `${list[i]}: ${list[i + 1]}\r\n`
    }
    if (this.#isChunked) text += 'Transfer-Encoding: chunked\r\n'
    text += this.isLast ? `Date: ${httpDate()}\r\nConnection: close\r\n` : `Date: ${httpDate()}\r\n${this.#keepAlive}`
    this.#socket.write(`${text}${this.#extra}\r\n`, 'latin1')
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    const socket = this.#socket
    const length = Buffer.byteLength(chunk, encoding)
    if (length === 0) {
      done()
      return
    }
    socket.cork()
    if (this.#isChunked) socket.write(`${length.toString(16)}\r\n`, 'latin1')
    let isTaken = typeof chunk === 'string' ? socket.write(chunk, encoding) : socket.write(chunk)
    if (this.#isChunked) isTaken = socket.write(CHUNK_END, 'latin1')
    socket.uncork()
    if (isTaken) done()
    else socket.once('drain', done)
  }

  override _final(done: () => void): void {
    this.#socket.write(this.#isChunked ? LAST_CHUNK : '', 'latin1', () => {
      this.#socket.off('close', this.#onClose)
      done()
    })
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.off('close', this.#onClose)
    if (!this.writableFinished) this.#socket.destroy()
    done(error)
  }
}
