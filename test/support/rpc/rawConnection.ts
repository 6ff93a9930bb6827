import { createConnection, type Socket } from 'node:net'
import { afterEach } from 'vitest'
import { type NodeHttpServerOptions, serveHttp } from '../../../adapters/server/http/httpServer.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { type TestServiceOptions, testService } from './rpcService.ts'

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

export const responses = (raw: Raw): number => raw.received.split('HTTP/1.1 ').length - 1

/** Servers on Node with connections to them, which are closed after each test of the suite that calls this. */
export function rawServers() {
  const servers: HttpServer[] = []
  const sockets: Raw[] = []
  afterEach(async () => {
    for (const { socket } of sockets.splice(0)) socket.destroy()
    for (const server of servers.splice(0)) await server.close()
  })
  return async (options: Partial<NodeHttpServerOptions> = {}, serviceOptions: TestServiceOptions = {}) => {
    const service = testService(serviceOptions)
    const { app, policy, exchange } = service
    const server = await serveHttp({ host: '127.0.0.1', port: 0, policy, exchange, fetch: app.fetch, ...options })
    servers.push(server)
    const connect = () => {
      const raw = new Raw(server.port)
      sockets.push(raw)
      return raw
    }
    return { service, server, connect }
  }
}
