/**
 * One process that answers clients, as the node sees it.
 * @module
 */
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import {
  HTTP_WORKER_BACKLOG_BYTES,
  HTTP_WORKER_SILENCE_MS,
  HTTP_WORKER_START_MS,
  MAX_HTTP_WORKER_BACKLOG_BYTES,
} from '../../../src/base/limits/limits.ts'
import type { MetricSeries } from '../../../src/base/ports/metrics.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { type LinkAnswers, ProcessLink } from '../../../src/node/httpWorkers/processLink.ts'
import type { LogRecord } from '../../shared/logRecord.ts'
import type { ClientServerName } from '../clientServers.ts'
import { unpackError } from '../threads/requestWire.ts'
import { type FromHttpWorker, messageBytes, type StartMessage, type ToHttpWorker } from './messages.ts'

export interface HandedConnection {
  readonly server: ClientServerName
  readonly socket: Socket
}

export interface WorkerProcessEvents {
  log(record: Omit<LogRecord, 'text'>): void
  /** Connections of a port have ended, or have become WebSockets. */
  released(server: ClientServerName, count: number): void
  /** The process ended without being asked to. Called once; its last messages have not been read. */
  ended(): void
  /**
   * Called once after {@link ended}, when its last messages have been read.
   * @param unserved connections that it had not taken
   */
  died(reason: string, unserved: readonly HandedConnection[]): void
}

export interface WorkerProcessOptions {
  /** Path of the module that the process runs. */
  readonly module: string
  readonly start: StartMessage
  readonly answers: LinkAnswers
  readonly events: WorkerProcessEvents
}

/** Time in which the last messages of a process that has ended are read. */
const LAST_MESSAGES_MS = 50
/** Last bytes of the error output of a process, for the log. */
const MAX_ERROR_OUTPUT = 2048

export class WorkerProcess {
  readonly slot: number
  readonly link: ProcessLink
  readonly #child: ChildProcess
  readonly #events: WorkerProcessEvents
  /** Settles when the process serves. @throws {NodeError} WORKER_UNAVAILABLE, and those of the start */
  readonly ready: Promise<void>
  readonly #exited: Promise<void>
  readonly #open = new Map<ClientServerName, number>()
  /** Bytes that the process has not taken. */
  #backlog = 0
  /** Connections that are on their way, by number. This process keeps them open until the other one has them. */
  readonly #handing = new Map<number, HandedConnection>()
  #lastHanded = 0
  #errorOutput = ''
  #state: 'starting' | 'ready' | 'closing' | 'ended' = 'starting'
  #lastSignMs = performance.now()
  #isHeadTold = true
  /** Open connections, with WebSockets. */
  connections = 0
  webSockets = 0
  metrics: readonly MetricSeries[] = []

  constructor({ module, start, answers, events }: WorkerProcessOptions) {
    this.slot = start.slot
    this.#events = events
    this.#child = fork(module, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    this.link = new ProcessLink({
      send: (message) => this.#send(message),
      isBehind: () => this.#backlog > HTTP_WORKER_BACKLOG_BYTES,
      answers,
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-MAX_ERROR_OUTPUT)
    })
    this.#child.on('error', () => this.kill())
    this.ready = this.#started()
    this.ready.catch(() => {})
    this.#exited = this.#untilEnded()
    this.#send(start)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isReady(): boolean {
    return this.#state === 'ready'
  }

  /** Gives it a connection. */
  serve(server: ClientServerName, socket: Socket): void {
    this.connections++
    this.#open.set(server, (this.#open.get(server) ?? 0) + 1)
    const id = ++this.#lastHanded
    this.#handing.set(id, { server, socket })
    this.#send({ kind: 'connection', server, id }, socket)
  }

  /** Tells it of commits; a process that has not read the last notice needs no further one. */
  tellHead(): void {
    if (!this.#isHeadTold || !this.isReady) return
    this.#isHeadTold = false
    this.#send({ kind: 'head' }, undefined, () => {
      this.#isHeadTold = true
    })
  }

  /** Asks for a sign of life; ends a process that has given none for long. */
  ping(message: Extract<ToHttpWorker, { kind: 'ping' }>): void {
    if (this.#state !== 'ready') return
    if (performance.now() - this.#lastSignMs > HTTP_WORKER_SILENCE_MS) this.kill()
    else this.#send(message)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Lets requests in progress finish within a time limit. */
  async close(limitMs: number): Promise<void> {
    if (this.#state === 'ended') return this.#exited
    this.#state = 'closing'
    this.#send({ kind: 'close' })
    const timer = setTimeout(() => this.kill(), limitMs)
    await this.#exited
    clearTimeout(timer)
  }

  async #untilEnded(): Promise<void> {
    const child = this.#child
    const reason = await new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
      child.once('error', (error) => child.pid === undefined && resolve(error.message))
    })
    const wasAsked = this.#state === 'closing'
    this.#state = 'ended'
    if (!wasAsked) this.#events.ended()
    // Its messages are read first. With connections on their way, Node does not report the end of the channel.
    await delay(LAST_MESSAGES_MS)
    this.#giveUp(reason, wasAsked)
  }

  #started(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(unavailable(`has not started within ${HTTP_WORKER_START_MS} ms`))
        this.kill()
      }, HTTP_WORKER_START_MS)
      this.#child.on('message', (message: FromHttpWorker) => {
        if (message.kind === 'ready') {
          clearTimeout(timer)
          if (this.#state === 'starting') this.#state = 'ready'
          this.#lastSignMs = performance.now()
          resolve()
        } else if (message.kind === 'failed') {
          clearTimeout(timer)
          reject(unpackError(message.error))
        } else this.#receive(message)
      })
      this.#child.once('exit', () => {
        clearTimeout(timer)
        reject(unavailable(`has ended while it started: ${this.#errorOutput.trim()}`))
      })
    })
  }

  #receive(message: Exclude<FromHttpWorker, { kind: 'ready' | 'failed' }>): void {
    this.#lastSignMs = performance.now()
    switch (message.kind) {
      case 'pong':
        this.metrics = message.metrics
        return
      case 'taken':
        this.#handing.get(message.id)?.socket.destroy()
        this.#handing.delete(message.id)
        return
      case 'log':
        this.#events.log(message.record)
        return
      case 'upgraded':
        this.webSockets++
        this.#release(message.server)
        return
      case 'ended':
        this.connections--
        if (message.wasUpgraded) this.webSockets--
        else this.#release(message.server)
        return
      default:
        this.link.receive(message)
    }
  }

  #release(server: ClientServerName): void {
    this.#open.set(server, (this.#open.get(server) ?? 1) - 1)
    this.#events.released(server, 1)
  }

  #send(message: ToHttpWorker, socket?: Socket, onTaken?: () => void): void {
    if (!this.#child.connected) return
    const bytes = messageBytes(message)
    this.#backlog += bytes
    this.#child.send(message, socket, { keepOpen: true }, () => {
      this.#backlog -= bytes
      onTaken?.()
    })
    // It reads nothing: further messages would fill the memory of this process.
    if (this.#backlog > MAX_HTTP_WORKER_BACKLOG_BYTES) this.kill()
  }

  #giveUp(reason: string, wasAsked: boolean): void {
    this.connections = 0
    this.webSockets = 0
    this.link.close()
    for (const { server } of this.#handing.values()) this.#open.set(server, (this.#open.get(server) ?? 1) - 1)
    for (const [server, count] of this.#open) this.#events.released(server, count)
    const unserved = [...this.#handing.values()]
    this.#handing.clear()
    if (wasAsked) for (const { socket } of unserved) socket.destroy()
    else this.#events.died([reason, this.#errorOutput.trim()].filter((text) => text !== '').join(': '), unserved)
  }
}

function unavailable(reason: string): NodeError {
  return new NodeError({ code: 'WORKER_UNAVAILABLE' }, `a process for --rpc-http-workers ${reason}`)
}
