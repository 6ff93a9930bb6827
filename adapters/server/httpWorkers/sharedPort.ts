/**
 * A port of the node whose connections other processes serve.
 * @module
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type HttpServer, type HttpServerOptions, listenError } from '../../../src/http/server.ts'

export interface SharedPortOptions extends HttpServerOptions {
  /** Number of simultaneous connections, without WebSockets; further ones are closed immediately. */
  readonly maxConnections: number
  /** Receives each connection, of which nothing has been read. */
  assign(socket: Socket): void
}

export class SharedPort implements HttpServer {
  readonly host: string
  readonly port: number
  readonly #server: Server
  /** Connections that are not WebSockets. */
  #open = 0

  private constructor(server: Server) {
    const { address, port } = server.address() as AddressInfo
    this.host = address
    this.port = port
    this.#server = server
  }

  /** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
  static async open({ host, port, maxConnections, assign }: SharedPortOptions): Promise<SharedPort> {
    const server = createServer({ pauseOnConnect: true, noDelay: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause: NodeJS.ErrnoException) =>
        reject(listenError(cause, cause.code === 'EADDRINUSE', host, port)),
      )
      server.listen({ host, port }, resolve)
    })
    server.removeAllListeners('error')
    server.on('error', () => {})
    const shared = new SharedPort(server)
    server.on('connection', (socket) => {
      if (shared.#open >= maxConnections) {
        socket.destroy()
        return
      }
      shared.#open++
      assign(socket)
    })
    return shared
  }

  get connectionCount(): number {
    return this.#open
  }

  /** A connection has ended, or has become a WebSocket. */
  release(count = 1): void {
    this.#open -= count
  }

  /** Accepts no further connections. */
  async close(): Promise<void> {
    this.#server.close()
  }
}
