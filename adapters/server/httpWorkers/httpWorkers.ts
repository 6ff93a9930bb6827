/**
 * The processes of --rpc-http-workers: this one accepts the connections and gives each to the process with the fewest.
 * @module
 */
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import {
  HTTP_DRAIN_TIMEOUT_MS,
  HTTP_WORKER_BURST_MS,
  HTTP_WORKER_DEATH_WINDOW_MS,
  HTTP_WORKER_PING_MS,
  HTTP_WORKER_RESTART_MS,
  MAX_HTTP_WORKER_DEATHS,
} from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import { relayingFilters } from '../../../src/node/httpWorkers/filterOwners.ts'
import type { LinkAnswers } from '../../../src/node/httpWorkers/processLink.ts'
import type { LogRecord } from '../../shared/logRecord.ts'
import { ROOT_CATEGORY } from '../../shared/logRecord.ts'
import { type ClientServerName, type ClientServers, orClose, startClientServers } from '../clientServers.ts'
import type { ConnectionSource } from '../http/listening.ts'
import type { ServerNode } from '../serverNode.ts'
import type { ServiceOptions, ServiceSettings } from '../settings.ts'
import { workerUrl } from '../threads/workerThread.ts'
import type { Listener } from './messages.ts'
import type { HttpWorkerParts } from './parts.ts'
import { SharedPort } from './sharedPort.ts'
import { WorkerProcess } from './workerProcess.ts'

/** Numbers of workers, which are the first byte of the ids of their filters, have two digits. */
const FIRST_SLOT = 16
/** A process that is being closed also ends its threads. */
const CLOSE_LIMIT_MS = HTTP_DRAIN_TIMEOUT_MS + 3_000

type Ports = ReadonlyMap<ClientServerName, SharedPort>

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED; those of the start of a process */
export async function startHttpWorkers(
  line: ServiceOptions,
  settings: ServiceSettings,
  serverNode: ServerNode & { readonly httpWorkers: HttpWorkerParts },
): Promise<ClientServers> {
  const workers = new HttpWorkers(line, settings, serverNode)
  try {
    await workers.open()
  } catch (error) {
    await workers.close()
    throw error
  }
  return workers.servers
}

class HttpWorkers {
  readonly #line: ServiceOptions
  readonly #settings: ServiceSettings
  readonly #serverNode: ServerNode & { readonly httpWorkers: HttpWorkerParts }
  readonly #logger: Logger
  readonly #answers: LinkAnswers
  readonly #workers = new Map<number, WorkerProcess>()
  /** Processes that have ended, and whose last messages are being read. */
  readonly #ended = new Set<WorkerProcess>()
  /** Connections that came while no process could serve them. */
  #waiting: (readonly [server: ClientServerName, socket: Socket])[] = []
  #ports: Ports = new Map()
  #deaths: number[] = []
  /** Serves in this process when no other is left. */
  #own: Promise<ClientServers> | undefined
  readonly #ownReceivers = new Map<ClientServerName, (socket: Socket) => void>()
  #timer: ReturnType<typeof setInterval> | undefined
  #stopListening: () => void = () => {}
  #isClosed = false

  constructor(
    line: ServiceOptions,
    settings: ServiceSettings,
    serverNode: ServerNode & { readonly httpWorkers: HttpWorkerParts },
  ) {
    this.#line = line
    this.#settings = settings
    this.#serverNode = serverNode
    this.#logger = serverNode.host.logger.child('http')
    this.#answers = relayingFilters(serverNode.node.answers, (slot) => this.#workers.get(slot)?.link)
  }

  async open(): Promise<void> {
    const { node, httpWorkers } = this.#serverNode
    this.#ports = await this.#openPorts()
    for (let i = 0; i < httpWorkers.count; i++) this.#start(FIRST_SLOT + i)
    await Promise.all([...this.#workers.values()].map(({ ready }) => ready))
    this.#stopListening = node.chain.events.on('head', () => {
      for (const worker of this.#workers.values()) worker.tellHead()
    })
    this.#timer = setInterval(() => this.#ping(), HTTP_WORKER_PING_MS)
    this.#ping()
  }

  get servers(): ClientServers {
    const isSecure = this.#settings.tls !== undefined
    const server = (name: ClientServerName) => {
      const port = this.#ports.get(name)
      if (port === undefined) return undefined
      const { host } = port
      return {
        host,
        port: port.port,
        isSecure,
        get connectionCount() {
          return port.connectionCount
        },
        close: () => port.close(),
      }
    }
    const http = server('http')
    return {
      http,
      webSocket: this.#settings.webSocket && (server('webSocket') ?? http),
      graphql: server('graphql'),
      webSocketCount: () => [...this.#workers.values()].reduce((sum, { webSockets }) => sum + webSockets, 0),
      close: () => this.close(),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#stopListening()
    for (const port of this.#ports.values()) void port.close()
    for (const [, socket] of this.#waiting.splice(0)) socket.destroy()
    await Promise.all([...this.#workers.values(), ...this.#ended].map((worker) => worker.close(CLOSE_LIMIT_MS)))
    await (await this.#own)?.close()
  }

  async #openPorts(): Promise<Ports> {
    const { http, webSocket, graphql, connections } = this.#settings
    const wanted = [
      ['http', http, connections.maxConnections],
      ['webSocket', webSocket?.separate, webSocket?.maxConnections ?? 0],
      ['graphql', graphql, connections.maxConnections],
    ] as const
    const ports = new Map<ClientServerName, SharedPort>()
    for (const [name, address, maxConnections] of wanted) {
      if (address === undefined) continue
      const assign = (socket: Socket): void => this.#assign(name, socket)
      ports.set(name, await orClose([...ports.values()], SharedPort.open({ ...address, maxConnections, assign })))
    }
    return ports
  }

  #start(slot: number): void {
    const { httpWorkers } = this.#serverNode
    const { count: workers, chain, options } = httpWorkers
    const { given, sharesPort = false } = this.#line
    const { http, webSocket } = this.#serverNode.host.access ?? {}
    const loginKeys = { http: http?.loginKey, webSocket: webSocket?.loginKey }
    const listeners: Listener[] = [...this.#ports].map(([name, { host, port }]) => ({ name, host, port }))
    let isReplaced = false
    const worker = new WorkerProcess({
      module: fileURLToPath(workerUrl(import.meta.url, 'httpWorker')),
      start: { kind: 'start', chain, options, given, sharesPort, slot, workers, listeners, loginKeys },
      answers: this.#answers,
      events: {
        log: (record) => this.#log(record),
        released: (server, count) => this.#ports.get(server)?.release(count),
        ended: () => {
          isReplaced = this.#replace(worker)
        },
        died: (reason, unserved) => {
          this.#onDeath(worker, reason, isReplaced)
          for (const { server, socket } of unserved) this.#assign(server, socket)
        },
      },
    })
    this.#workers.set(slot, worker)
    httpWorkers.metrics?.follow(slot, worker)
    worker.ready.then(
      () => {
        this.#ping()
        this.#assignWaiting()
      },
      (error) => this.#logger.debug('a process for HTTP cannot start', { error }),
    )
  }

  #assign(server: ClientServerName, socket: Socket): void {
    if (this.#isClosed) {
      socket.destroy()
      return
    }
    const worker = this.#leastBusy()
    if (worker !== undefined) worker.serve(server, socket)
    else if (this.#own !== undefined) this.#serveHere(server, socket)
    else this.#waiting.push([server, socket])
  }

  #assignWaiting(): void {
    for (const [server, socket] of this.#waiting.splice(0)) this.#assign(server, socket)
  }

  #leastBusy(): WorkerProcess | undefined {
    let least: WorkerProcess | undefined
    for (const worker of this.#workers.values()) {
      if (worker.isReady && (least === undefined || worker.connections < least.connections)) least = worker
    }
    return least
  }

  #serveHere(server: ClientServerName, socket: Socket): void {
    socket.once('close', () => this.#ports.get(server)?.release())
    this.#ownReceivers.get(server)?.(socket)
    socket.resume()
  }

  /** @returns false if too many have ended */
  #replace(worker: WorkerProcess): boolean {
    const { slot } = worker
    this.#workers.delete(slot)
    this.#ended.add(worker)
    this.#serverNode.httpWorkers.metrics?.ended(slot)
    // A process that fails at the first start ends the node.
    if (this.#isClosed || this.#timer === undefined) return false
    const now = performance.now()
    const before = this.#deaths.filter((atMs) => now - atMs < HTTP_WORKER_DEATH_WINDOW_MS)
    this.#deaths = [...before, now]
    if (this.#deaths.length >= MAX_HTTP_WORKER_DEATHS) return false
    const burst = before.filter((atMs) => now - atMs < HTTP_WORKER_BURST_MS).length
    const start = (): void => {
      if (!this.#isClosed) this.#start(slot)
    }
    if (burst === 0) start()
    else setTimeout(start, HTTP_WORKER_RESTART_MS * 2 ** (burst - 1))
    return true
  }

  #onDeath(worker: WorkerProcess, reason: string, isReplaced: boolean): void {
    const { pid } = worker
    this.#ended.delete(worker)
    if (isReplaced) this.#logger.warn('a process for HTTP has ended and is replaced', { pid, reason })
    if (isReplaced || this.#isClosed || this.#timer === undefined) return
    const left = this.#workers.size
    this.#logger.error('too many processes for HTTP have ended: the node continues without this one', {
      pid,
      reason,
      left,
    })
    if (left === 0) this.#serveAlone()
  }

  /** The node goes on as one process. */
  #serveAlone(): void {
    const { node, host } = this.#serverNode
    const sources = (name: ClientServerName): ConnectionSource => {
      const { host: address = '', port = 0 } = this.#ports.get(name) ?? {}
      return { host: address, port, onConnection: (receive) => this.#ownReceivers.set(name, receive) }
    }
    this.#own = startClientServers(this.#settings, { node, logger: host.logger }, sources)
    this.#own.then(
      () => this.#assignWaiting(),
      (error) => this.#logger.error('this process cannot answer over HTTP', { error }),
    )
  }

  #ping(): void {
    const { isExtended, p2pEnabled, peerCount, blocksBehind, standstill } = this.#serverNode.node.health
    const health = { isExtended, p2pEnabled, peerCount, blocksBehind, standstill }
    for (const worker of this.#workers.values()) worker.ping({ kind: 'ping', health })
  }

  #log({ category, level, message, fields }: Omit<LogRecord, 'text'>): void {
    const { logger } = this.#serverNode.host
    const target = category === ROOT_CATEGORY ? logger : logger.child(category)
    target[level](message, { ...fields })
  }
}
