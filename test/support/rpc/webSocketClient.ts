/**
 * WebSocket clients that record everything they receive: a well-behaved one, and one that misbehaves as a test
 * requires.
 */
import { createConnection, type Socket } from 'node:net'
import { WebSocket } from 'ws'

const WAIT_MS = 20_000

/** Polls until a condition holds that no event reports. */
export async function until(holds: () => boolean, what: () => string = () => ''): Promise<void> {
  const end = Date.now() + WAIT_MS
  while (!holds()) {
    if (Date.now() > end) throw new Error(`not in time: ${what()}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

export interface ClientOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
}

export class WebSocketClient {
  /** Text frames, in order of arrival. */
  readonly messages: string[] = []
  closeCode: number | undefined
  /** HTTP status of a refused upgrade. */
  refusedWith: number | undefined
  readonly socket: WebSocket
  readonly opened: Promise<void>

  constructor(port: number, { headers = {}, path = '/' }: ClientOptions = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { ...headers } })
    this.socket.on('message', (data: Buffer) => this.messages.push(data.toString()))
    this.socket.on('close', (code: number) => {
      this.closeCode = code
    })
    this.socket.on('unexpected-response', (_request, { statusCode }) => {
      this.refusedWith = statusCode
    })
    this.opened = new Promise((resolve, reject) => {
      this.socket.once('open', () => resolve())
      this.socket.on('error', reject)
      this.socket.once('close', () => reject(new Error('closed')))
      this.socket.once('unexpected-response', () => reject(new Error('refused')))
    })
    this.opened.catch(() => {})
  }

  async send(...messages: readonly (string | Uint8Array)[]): Promise<this> {
    await this.opened
    for (const message of messages) this.socket.send(message)
    return this
  }

  /** @returns the first `count` messages, once they have arrived */
  async received(count: number): Promise<readonly string[]> {
    await until(
      () => this.messages.length >= count || this.closeCode !== undefined,
      () => `${count} messages; there are ${this.messages.length}: ${this.messages.join(' ').slice(0, 1000)}`,
    )
    return this.messages.slice(0, count)
  }

  async closed(): Promise<number> {
    await until(() => this.closeCode !== undefined)
    return this.closeCode as number
  }

  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const seen = this.messages.length
    await this.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    await this.received(seen + 1)
    return JSON.parse(this.messages[seen] ?? 'null')?.result
  }
}

/** A TCP connection with a completed WebSocket handshake that answers nothing automatically, not even pings. */
export class RawWebSocket {
  readonly socket: Socket
  isClosed = false
  received = ''

  /** @param allowHalfOpen keeps the client's side open after the server has closed its side */
  constructor(port: number, allowHalfOpen = false) {
    this.socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen })
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text: string) => {
      this.received += text
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isClosed = true
    })
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
    this.socket.write(['GET / HTTP/1.1', 'Host: localhost', ...upgrade, key, '', ''].join('\r\n'))
  }

  async opened(): Promise<this> {
    await until(
      () => this.received.includes('\r\n\r\n'),
      () => this.received,
    )
    return this
  }

  /** Sends a text frame of fewer than 65,536 bytes. */
  send(text: string): void {
    const { length } = text
    const header = length < 126 ? [0x81, 0x80 | length] : [0x81, 0xfe, length >> 8, length & 0xff]
    // A zero mask leaves the text unchanged.
    this.socket.write(Buffer.from([...header, 0, 0, 0, 0]))
    this.socket.write(text)
  }
}
