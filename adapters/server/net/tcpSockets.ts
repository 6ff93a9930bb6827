/**
 * TCP on Node, Deno and Bun.
 * @module
 */

import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { MAX_SOCKET_BACKLOG_BYTES } from '../../../src/base/limits/limits.ts'
import type {
  ConnectOptions,
  SocketAddress,
  TcpConnection,
  TcpHandlers,
  TcpListener,
  TcpSockets,
} from '../../../src/base/ports/tcpSockets.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { hostPort } from '../../../src/base/primitives/hostPort.ts'

class NodeTcpConnection implements TcpConnection {
  readonly remoteAddress: SocketAddress
  readonly localAddress: SocketAddress
  readonly #socket: Socket
  #error: Error | undefined
  #isEnded = false

  /** @param socket connected, not flowing, half-open allowed */
  constructor(socket: Socket) {
    this.#socket = socket
    this.remoteAddress = { host: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 }
    this.localAddress = { host: socket.localAddress ?? '', port: socket.localPort ?? 0 }
    socket.setNoDelay(true)
    socket.on('error', (error) => {
      this.#error = error
    })
  }

  open(handlers: TcpHandlers): void {
    const socket = this.#socket
    const onClose = (): void => {
      const error = this.#error
      handlers.onClose(error && connectionFailed(this.remoteAddress, error))
    }
    if (socket.closed) {
      queueMicrotask(onClose)
      return
    }
    socket.on('close', onClose)
    socket.on('drain', () => handlers.onDrain?.())
    socket.on('end', () => handlers.onEnd?.())
    socket.on('data', (data: Buffer) => handlers.onData(data))
    socket.resume()
  }

  get backlog(): number {
    return this.#socket.writableLength
  }

  write(bytes: Uint8Array): boolean {
    const socket = this.#socket
    if (this.#isEnded || socket.destroyed) return false
    const isTaken = socket.write(bytes)
    if (socket.writableLength > MAX_SOCKET_BACKLOG_BYTES) {
      this.#isEnded = true
      socket.destroy(new Error(`the peer does not read: ${socket.writableLength} bytes are waiting to be sent`))
    }
    return isTaken
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  end(): void {
    this.#isEnded = true
    this.#socket.end()
  }

  destroy(): void {
    this.#isEnded = true
    this.#socket.destroy()
  }
}

function connect(address: SocketAddress, { timeoutMs, signal }: ConnectOptions = {}): Promise<TcpConnection> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ ...address, allowHalfOpen: true })
    const fail = (error: Error): void => {
      end()
      socket.on('error', () => {})
      socket.destroy()
      reject(connectionFailed(address, error))
    }
    const onConnect = (): void => {
      end()
      resolve(new NodeTcpConnection(socket))
    }
    const onAbort = (): void => fail(new Error('aborted'))
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => fail(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      socket.off('connect', onConnect)
      socket.off('error', fail)
    }
    socket.on('connect', onConnect)
    socket.on('error', fail)
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted === true) onAbort()
  })
}

function listen(address: SocketAddress, onConnection: (connection: TcpConnection) => void): Promise<TcpListener> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      onConnection(new NodeTcpConnection(socket))
    })
    server.once('error', (error) => reject(listenFailed(address, error)))
    server.listen({ ...address, exclusive: true }, () => resolve(listenerOf(server, address)))
  })
}

function listenerOf(server: Server, { host }: SocketAddress): TcpListener {
  const bound = server.address()
  return {
    address:
      bound === null || typeof bound === 'string' ? { host, port: 0 } : { host: bound.address, port: bound.port },
    // The callback runs when the last connection is closed, which need not be awaited.
    close: async () => void server.close(),
  }
}

function connectionFailed(address: SocketAddress, cause: Error): NodeError {
  return new NodeError({ code: 'CONNECTION_FAILED' }, `connection with ${hostPort(address)}: ${cause.message}`, cause)
}

export function listenFailed(address: SocketAddress, cause: Error): NodeError {
  return new NodeError({ code: 'LISTEN_FAILED' }, `cannot listen on ${hostPort(address)}: ${cause.message}`, cause)
}

export const nodeTcpSockets: TcpSockets = { connect, listen }
