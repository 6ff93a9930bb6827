import type { Socket } from 'node:net'
import type { ClientServerName } from '../clientServers.ts'
import type { ConnectionSource } from '../http/listening.ts'
import type { FromHttpWorker, Listener } from './messages.ts'

/** Connections that the main process has accepted and given to this one. */
export class HandedConnections {
  readonly #listeners: readonly Listener[]
  readonly #send: (message: FromHttpWorker) => void
  readonly #webSockets = new Set<string>()
  readonly #receivers = new Map<ClientServerName, (socket: Socket) => void>()

  /** @param send reports the end of connections to the main process */
  constructor(listeners: readonly Listener[], send: (message: FromHttpWorker) => void) {
    this.#listeners = listeners
    this.#send = send
  }

  source(name: ClientServerName): ConnectionSource {
    const { host = '', port = 0 } = this.#listeners.find((listener) => listener.name === name) ?? {}
    return {
      host,
      port,
      onConnection: (receive) => this.#receivers.set(name, receive),
      onUpgrade: (socket) => {
        const key = keyOf(socket)
        if (this.#webSockets.has(key)) return
        this.#webSockets.add(key)
        this.#send({ kind: 'upgraded', server: name })
      },
    }
  }

  /** @param socket undefined: the client has ended the connection meanwhile */
  receive(server: ClientServerName, socket: Socket | undefined): void {
    const receive = this.#receivers.get(server)
    if (socket === undefined || receive === undefined) {
      socket?.destroy()
      this.#send({ kind: 'ended', server, wasUpgraded: false })
      return
    }
    const key = keyOf(socket)
    socket.once('close', () => this.#send({ kind: 'ended', server, wasUpgraded: this.#webSockets.delete(key) }))
    receive(socket)
  }
}

/** Over TLS, the socket of a request is not the one that was accepted. */
function keyOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}
