/**
 * A read-only node on Cloudflare Workers: it answers from the mirror that another node publishes to R2 or Workers KV.
 * @module
 */
import { MIRROR_RETRY_MS, WORKER_SOCKET_SHARDS } from '../../src/base/limits/limits.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { MANIFEST_PREFIX } from '../../src/mirror/format/names.ts'
import type { EdgeNode } from './edgeNode.ts'
import type { Env, LiveNamespace } from './environment.ts'
import { type LiveSocket, LiveSockets } from './liveSockets.ts'
import { logger, openNode, storeOf } from './opening.ts'
import { answerPublish } from './publish.ts'

interface Opening {
  readonly node: Promise<EdgeNode>
  failedAtMs?: number
}

/** The Durable Object that wrangler.toml names. */
export class LiveChain extends LiveSockets {
  constructor(state: DurableObjectState, env: Env) {
    const pair = (): { readonly client: WebSocket; readonly server: LiveSocket } => {
      const { 0: client, 1: server } = new WebSocketPair()
      state.acceptWebSocket(server)
      return { client, server }
    }
    super({ state, env, logger, pair, open: (seen) => openNode(env, seen) })
  }
}

/** One node per isolate, for all of its requests. */
let current: Opening | undefined

const handler: ExportedHandler<Env> & { fetch: ExportedHandlerFetchHandler<Env> } = {
  async fetch(request, env, context): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/liveness') return Response.json({ status: 'UP' })
    try {
      if (pathname === '/publish') {
        const onCreated = (name: string): void => {
          if (name.startsWith(MANIFEST_PREFIX)) context.waitUntil(announce(env))
        }
        return await answerPublish({ store: storeOf(env), token: env.ISONODE_PUBLISH_TOKEN, onCreated }, request)
      }
      if (request.headers.get('upgrade') === 'websocket') return await webSocket(request, env)
      const { node } = opened(env)
      const answer = node.then((edge) => edge.fetch(request, (work) => context.waitUntil(work)))
      // Others may await what this request loads, also after its client has disconnected.
      context.waitUntil(answer.catch(() => {}))
      return await answer
    } catch (error) {
      return unavailable(error)
    }
  },
}

export default handler

/** A failure is kept for some seconds, so that a broken mirror is not read again for each request. */
function opened(env: Env): Opening {
  const isStale = current?.failedAtMs !== undefined && Date.now() - current.failedAtMs >= MIRROR_RETRY_MS
  if (current !== undefined && !isStale) return current
  const opening: Opening = { node: openNode(env) }
  opening.node.catch((error: unknown) => {
    opening.failedAtMs = Date.now()
    logger.error('cannot open the mirror', { error: isNodeError(error) ? error.message : error })
  })
  current = opening
  return opening
}

async function webSocket(request: Request, env: Env): Promise<Response> {
  const stub = liveChain(env, Math.floor(Math.random() * WORKER_SOCKET_SHARDS))
  if (stub === undefined) return Response.json({ message: 'this Worker has no WebSockets' }, { status: 426 })
  return stub.fetch(request)
}

/** Any object may serve a WebSocket. */
function liveChain({ LIVE }: Env, shard: number): ReturnType<LiveNamespace['getByName']> | undefined {
  return LIVE?.getByName(`sockets ${shard}`)
}

/** Tells the objects with WebSockets of a newer manifest. */
async function announce(env: Env): Promise<void> {
  const shards = Array.from({ length: WORKER_SOCKET_SHARDS }, (_, shard) => liveChain(env, shard))
  await Promise.allSettled(shards.map((stub) => stub?.fetch('https://live.internal/', { method: 'POST' })))
}

function unavailable(error: unknown): Response {
  if (!isNodeError(error)) logger.error('a request failed', { error })
  const message = isNodeError(error) ? error.message : 'cannot open the mirror'
  const headers = { 'Retry-After': String(MIRROR_RETRY_MS / 1000), 'Cache-Control': 'no-store' }
  return Response.json({ message }, { status: 503, headers })
}
