import { createConnection, type Socket } from 'node:net'

/** A connection that records everything it receives. */
export class Raw {
  received = ''
  closed = false
  readonly socket: Socket

  constructor(port: number) {
    this.socket = createConnection({ port, host: '127.0.0.1' })
    this.socket.setEncoding('utf8')
    this.socket.on('data', (text: string) => {
      this.received += text
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.closed = true
    })
  }

  send(text: string): this {
    this.socket.write(text)
    return this
  }

  async until(holds: (raw: Raw) => boolean, withinMs = 20_000): Promise<this> {
    const end = Date.now() + withinMs
    while (!holds(this)) {
      if (Date.now() > end) throw new Error(`not in time; received ${JSON.stringify(this.received)}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    return this
  }
}
