/**
 * A process that answers clients of a chain which another process writes. It ends with that process.
 * @module
 */
import type { Socket } from 'node:net'
import process from 'node:process'
import { HTTP_WORKER_BACKLOG_BYTES } from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import { InlineRecovery } from '../../../src/base/ports/inlineRecovery.ts'
import { MemoryMetrics } from '../../../src/base/ports/memoryMetrics.ts'
import type { RequestWorkers } from '../../../src/base/ports/requestWorkers.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import type { RemoteLogin } from '../../../src/http/access/endpointAccess.ts'
import { metricCategories, type NodeSettings, settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { createWorkerNode, type WorkerNode } from '../../../src/node/workerNode.ts'
import { createLogger } from '../../shared/logging.ts'
import { systemClock, systemRandom, systemTimers, yieldToHost } from '../../shared/systemPorts.ts'
import { type ClientServerName, type ClientServers, startClientServers } from '../clientServers.ts'
import { installStartCrypto } from '../crypto/crypto.ts'
import { openReader } from '../data/dataDirectory.ts'
import type { LmdbStore } from '../data/lmdbStore.ts'
import { openWorkerAccess } from '../http/access.ts'
import { explorerFiles } from '../http/explorerFiles.ts'
import { graphiqlFiles } from '../http/graphiqlFiles.ts'
import { setHeapFlags } from '../program/heapFlags.ts'
import { processMemory, requestThreads } from '../resources.ts'
import { scriptEngine } from '../scriptEngine.ts'
import { serviceSettings } from '../settings.ts'
import { RequestPool } from '../threads/requestPool.ts'
import { packError, unpackConfig } from '../threads/requestWire.ts'
import { HandedConnections } from './handedConnections.ts'
import { type FromHttpWorker, messageBytes, type StartMessage, type ToHttpWorker } from './messages.ts'

/** Bytes that the main process has not taken. */
let backlog = 0

function send(message: FromHttpWorker): void {
  if (!process.connected) return
  const bytes = messageBytes(message)
  backlog += bytes
  process.send?.(message, undefined, undefined, () => {
    backlog -= bytes
  })
}

/** A worker that serves. */
class HttpWorker {
  readonly #node: WorkerNode
  readonly #servers: ClientServers
  readonly #connections: HandedConnections
  readonly #store: LmdbStore
  readonly #pool: RequestWorkers
  readonly #metrics: MemoryMetrics | undefined

  private constructor(parts: {
    readonly node: WorkerNode
    readonly servers: ClientServers
    readonly connections: HandedConnections
    readonly store: LmdbStore
    readonly pool: RequestWorkers
    readonly metrics: MemoryMetrics | undefined
  }) {
    this.#node = parts.node
    this.#servers = parts.servers
    this.#connections = parts.connections
    this.#store = parts.store
    this.#pool = parts.pool
    this.#metrics = parts.metrics
  }

  static async start(message: StartMessage): Promise<HttpWorker> {
    const { chain, options, slot, workers, loginKeys } = message
    const { nativeModule } = await installStartCrypto()
    const store = openReader(chain.directory, chain.durability, true)
    const settings = settingsOf(options, chain.isDev, {
      memoryBytes: processMemory(),
      readers: Math.max(1, Math.floor(requestThreads() / workers)),
    })
    const logger = createLogger({ level: options.logging }, sendRecord)
    const pool = requestPool(chain, settings, logger)
    const categories = metricCategories(options)
    const metrics = categories && new MemoryMetrics({ categories })
    const loginOf = (endpoint: 'http' | 'webSocket'): RemoteLogin | undefined => {
      const publicKey = loginKeys[endpoint]
      if (publicKey === undefined) return undefined
      return { publicKey, handle: (body, client) => node.login(endpoint, body, client) }
    }
    const host = {
      store,
      renewSnapshot: () => store.renewSnapshot(),
      senders: new InlineRecovery({ clock: systemClock, yieldToHost }),
      clock: systemClock,
      timers: systemTimers,
      random: systemRandom,
      yieldToHost,
      logger,
      platform: chain.platform,
      workers: pool,
      scripts: scriptEngine,
      graphiql: graphiqlFiles,
      explorer: explorerFiles(),
      access: await openWorkerAccess(options, { http: loginOf('http'), webSocket: loginOf('webSocket') }),
      servesTls: true,
      ...(metrics === undefined ? {} : { metrics }),
      ...(nativeModule === undefined ? {} : { evmModule: nativeModule }),
      loadReferenceEvm,
    }
    const node: WorkerNode = createWorkerNode(host, unpackConfig(chain.config), settings, {
      slot,
      send,
      isBehind: () => backlog > HTTP_WORKER_BACKLOG_BYTES,
      remoteMethods: chain.remoteMethods,
      countsCalls: chain.countsCalls,
    })
    const connections = new HandedConnections(message.listeners, send)
    const served = { node, logger }
    const servers = await startClientServers(sharedSettings(message), served, (name) => connections.source(name))
    return new HttpWorker({ node, servers, connections, store, pool, metrics })
  }

  receive(message: Exclude<ToHttpWorker, StartMessage>, socket: Socket | undefined): void {
    switch (message.kind) {
      case 'connection':
        send({ kind: 'taken', id: message.id })
        this.#connections.receive(message.server, socket)
        return
      case 'head':
        this.#node.refresh()
        return
      case 'ping':
        this.#node.setHealth(message.health)
        this.#node.reportCalls()
        send({ kind: 'pong', metrics: this.#metrics?.series.filter(({ category }) => category === 'RPC') ?? [] })
        return
      case 'close':
        void this.close()
        return
      default:
        this.#node.receive(message)
    }
  }

  /** Lets requests in progress finish, then ends the process. */
  async close(): Promise<void> {
    await Promise.all([this.#servers.close(), this.#pool.close()])
    this.#node.close()
    await this.#store.close()
    process.exit(0)
  }
}

function requestPool(chain: StartMessage['chain'], settings: NodeSettings, logger: Logger): RequestPool {
  const { directory, durability, config } = chain
  const { rpc, evm, slotsInEpoch, readers } = settings
  return new RequestPool({
    data: { directory, durability, config, settings: { rpc, evm, slotsInEpoch, memory: readers.memory } },
    workers: readers.count,
    logger: logger.child('traces'),
  })
}

/** The servers of the node, with this process's part of the WebSockets, and at the ports that the node has. */
function sharedSettings({ options, given, sharesPort, workers, listeners }: StartMessage) {
  const settings = serviceSettings({ options, given, sharesPort })
  const { webSocket } = settings
  const has = (name: ClientServerName): boolean => listeners.some((listener) => listener.name === name)
  if (webSocket === undefined) return settings
  return {
    ...settings,
    webSocket: {
      ...webSocket,
      maxConnections: Math.max(1, Math.floor(webSocket.maxConnections / workers)),
      separate: has('webSocket') ? webSocket.separate : undefined,
    },
  }
}

/** Fields that cannot be sent as they are, such as functions, are sent as text. */
function sendRecord({ timeMs, level, category, message, fields }: Parameters<Parameters<typeof createLogger>[1]>[0]) {
  const record = { timeMs, level, category, message }
  try {
    send({ kind: 'log', record: { ...record, fields } })
  } catch {
    const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
    send({ kind: 'log', record: { ...record, fields: texts } })
  }
}

let worker: Promise<HttpWorker> | undefined

async function start(message: StartMessage): Promise<HttpWorker> {
  try {
    const started = await HttpWorker.start(message)
    send({ kind: 'ready' })
    return started
  } catch (error) {
    send({ kind: 'failed', error: packError(error) })
    throw error
  }
}

setHeapFlags()
// The main process ends this one, also after a signal to the whole group.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})
process.on('disconnect', () => process.exit(0))
process.on('message', (message: ToHttpWorker, socket: Socket | undefined) => {
  if (message.kind === 'start') {
    worker = start(message)
    worker.catch((error) => {
      process.stderr.write(String(error))
      process.exitCode = 1
      process.disconnect()
    })
  } else void worker?.then((started) => started.receive(message, socket))
})
