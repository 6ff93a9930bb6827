/**
 * A replica on Workers: it reads one manifest at its start, and what requests need from the segments.
 * @module
 */
import { WORKER_MIRROR_CACHE_BYTES, WORKER_PARALLEL_READS, WORKER_POLL_MS } from '../../src/base/limits/limits.ts'
import { MIN_MEMORY_BYTES } from '../../src/base/limits/memoryShares.ts'
import type { Logger } from '../../src/base/ports/host.ts'
import { InlineRecovery } from '../../src/base/ports/inlineRecovery.ts'
import type { ObjectReader } from '../../src/base/ports/objectStore.ts'
import type { PackedAssets } from '../../src/base/ports/webAssets.ts'
import type { YieldToHost } from '../../src/base/ports/yieldToHost.ts'
import { bytesToHexUnprefixed } from '../../src/base/primitives/bytes.ts'
import { installKeccak256 } from '../../src/base/primitives/keccak.ts'
import { defaultOptions } from '../../src/config/options.ts'
import { createNativeKeccak } from '../../src/evm/native/keccak.ts'
import { createHttpApp, factsOf } from '../../src/http/app.ts'
import type { Health } from '../../src/http/readiness.ts'
import { type RequestConnection, UNKNOWN_CLIENT } from '../../src/http/requestConnection.ts'
import type { ExchangeRequest, HttpExchange, HttpReply } from '../../src/http/rpcExchange.ts'
import { openReplica, type Replica } from '../../src/node/readOnly/replica.ts'
import type { NodeSettings } from '../../src/node/settings/nodeSettings.ts'
import { settledQuestion } from '../../src/rpc/settledQuestion.ts'
import { webSettings } from '../shared/webNode.ts'
import { webClock, webRandom, webTimers } from '../shared/webPorts.ts'
import { AnswerCache, type AnswerStore, SETTLED } from './answerCache.ts'
import { scopeOf, type WorkerOptions } from './environment.ts'

export interface EdgeHost {
  readonly objects: ObjectReader
  readonly logger: Logger
  /** The native EVM's module; the platform does not compile WebAssembly at run time. */
  readonly evmModule: WebAssembly.Module
  /** undefined: there is none */
  readonly answers: AnswerStore | undefined
  /** Files of the explorer; undefined: there is none */
  readonly explorer?: PackedAssets | undefined
  /** Hash of the head that subscribers know already. */
  readonly seen?: Uint8Array | undefined
}

/** Keeps work going after the answer. */
export type WaitUntil = (work: Promise<unknown>) => void

/**
 * Never waits for a timer: a timer belongs to the request that started it and dies with it, so anything in the node's
 * queues that awaits it would wait forever. Yielding has little use anyway, because the clock does not advance while a
 * Worker computes.
 */
const yieldToHost: YieldToHost = () => Promise.resolve()

/** Isolates share nothing, so another one would not know the filter. */
const ABSENT_METHODS: ReadonlySet<string> = new Set([
  'eth_newFilter',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_uninstallFilter',
])

/** The app of POST requests answers nothing about health. */
const NO_HEALTH: Health = { isExtended: false, p2pEnabled: false, peerCount: 0, blocksBehind: 0 }

export class EdgeNode {
  readonly replica: Replica
  readonly #rpc: ReturnType<typeof createHttpApp>
  readonly #answers: AnswerCache | undefined
  #lookedAtMs = Date.now()

  private constructor(replica: Replica, answers: AnswerCache | undefined) {
    const { policy, exchange } = replica.node.endpoints.get('http')
    const settling = { handle: (asked: ExchangeRequest) => this.#answer(exchange, asked) }
    this.replica = replica
    this.#rpc = createHttpApp({ policy, exchange: settling, health: NO_HEALTH, timers: webTimers })
    this.#answers = answers
  }

  /** @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED, MIRROR_FORMAT, MIRROR_UNSIGNED */
  static async open(
    { objects, logger, evmModule, answers, explorer, seen }: EdgeHost,
    options: WorkerOptions,
  ): Promise<EdgeNode> {
    const { hash, hashInto } = createNativeKeccak(evmModule)
    installKeccak256(hash, hashInto)
    const replica = await openReplica(
      {
        objects,
        logger,
        evmModule,
        clock: webClock,
        timers: webTimers,
        random: webRandom,
        senders: new InlineRecovery({ clock: webClock, yieldToHost }),
        yieldToHost,
        platform: 'cloudflare/workers',
        absentMethods: ABSENT_METHODS,
        ...(explorer === undefined ? {} : { explorer }),
        seen,
      },
      {
        publisher: options.publisher,
        cacheBytes: WORKER_MIRROR_CACHE_BYTES,
        // A timer would end with the request that set it, and keep an object with WebSockets from sleeping.
        pollMs: undefined,
        maxLagMs: options.maxLagMs,
        whenStale: options.whenStale,
        maxParallel: WORKER_PARALLEL_READS,
        readsPerRequest: options.readsPerRequest,
      },
      { ...edgeSettings(options), hasExplorer: explorer !== undefined },
    )
    const { genesis } = replica.node.chain
    const scope = `${bytesToHexUnprefixed(genesis.hash)} ${scopeOf(options)}`
    return new EdgeNode(replica, answers && new AnswerCache(answers, scope))
  }

  /** Answers a request at the newest manifest, which is looked for at most once a second. */
  async fetch(request: Request, waitUntil: WaitUntil): Promise<Response> {
    await this.#look()
    const { node } = this.replica
    const { origin, pathname } = new URL(request.url)
    if (pathname === '/graphql') return node.endpoints.get('graphql').fetch(request)
    if (pathname !== '/' || request.method !== 'POST') return node.fetch(request)
    const connection = new EdgeConnection(origin, waitUntil)
    const response = await this.#rpc.fetch(request, { connection })
    response.headers.set('cache-control', connection.isSettled ? SETTLED : 'no-store')
    return response
  }

  /** The refusal of a WebSocket; undefined when it is allowed. */
  refuseUpgrade(request: Request): Response | undefined {
    const { policy } = this.replica.node.endpoints.get('webSocket')
    const refused = policy.refuseUpgrade(factsOf(request, '/'))
    return refused && new Response(refused.body, { status: refused.status, headers: refused.headers })
  }

  /** Answers a message of a WebSocket. */
  async ask(body: string): Promise<HttpReply> {
    await this.#look()
    return this.replica.node.endpoints.get('http').exchange.handle({ body })
  }

  async #look(): Promise<void> {
    if (Date.now() - this.#lookedAtMs < WORKER_POLL_MS) return
    this.#lookedAtMs = Date.now()
    await this.replica.poll()
  }

  async #answer(exchange: HttpExchange, asked: ExchangeRequest): Promise<HttpReply> {
    const answers = this.#answers
    const connection = asked.peer
    if (answers === undefined || !(connection instanceof EdgeConnection)) return exchange.handle(asked)
    const { finalized } = this.replica.mirror.status
    const question = settledQuestion(textOf(asked.body), finalized && BigInt(finalized.number))
    if (question === undefined) return exchange.handle(asked)
    const found = await answers.find(connection.origin, question)
    if (found !== undefined) {
      connection.isSettled = true
      return { status: 200, body: found }
    }
    const reply = await exchange.handle(asked)
    const kept = reply.stream === undefined ? answers.keep(connection.origin, question, reply.body) : undefined
    if (kept !== undefined) {
      connection.isSettled = true
      connection.waitUntil(kept)
    }
    return reply
  }
}

/** One request of HTTP. */
class EdgeConnection implements RequestConnection {
  readonly client = UNKNOWN_CLIENT
  readonly rate = undefined
  readonly origin: string
  readonly waitUntil: WaitUntil
  /** Whether the answer can never change. */
  isSettled = false

  constructor(origin: string, waitUntil: WaitUntil) {
    this.origin = origin
    this.waitUntil = waitUntil
  }
}

/**
 * Any Host is accepted: Cloudflare routes only this Worker's host names here, so DNS rebinding, which the allowlist
 * guards against, cannot occur.
 */
function edgeSettings({ groups, corsOrigins, profile, gasCap }: WorkerOptions): NodeSettings {
  const options = { ...defaultOptions(false), 'rpc-profile': profile, 'rpc-call-gas-cap': gasCap }
  const settings = webSettings(false, MIN_MEMORY_BYTES, options)
  return {
    ...settings,
    areHostsRouted: true,
    groups,
    webSocketGroups: groups,
    corsOrigins,
    graphqlCorsOrigins: corsOrigins,
  }
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}
