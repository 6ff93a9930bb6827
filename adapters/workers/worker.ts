/**
 * A read-only node on Cloudflare Workers: at its first request, each isolate imports the chain of a KV namespace into
 * memory, and then answers from there.
 *
 * The namespace contains the genesis file under `genesis.json` and optionally the blocks, as written by `blocks
 * export`, under `blocks.rlp` (`wrangler kv key put --binding=CHAIN blocks.rlp --path=...`).
 * @module
 */
import { MIRROR_RETRY_MS } from '../../src/base/limits/limits.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import evmModule from '../../src/evm/native/module.wasm'
import type { ReadNode } from '../../src/node/readOnly/readOnlyNode.ts'
import { startLogging } from '../shared/logging.ts'
import { openMirror } from './mirror.ts'

/** Bindings in wrangler.toml. */
export interface Env {
  readonly CHAIN: KVNamespace
  /** As for --rpc-http-cors-origins: comma-separated, `*` for any; default none. */
  readonly ISONODE_RPC_HTTP_CORS_ORIGINS?: string
}

interface Opening {
  readonly node: Promise<ReadNode>
  failedAtMs?: number
}

const logger = startLogging('INFO')
/** One node per isolate, for all of its requests. */
let current: Opening | undefined

const handler: ExportedHandler<Env> & { fetch: ExportedHandlerFetchHandler<Env> } = {
  async fetch(request, env, context): Promise<Response> {
    const { node } = opened(env)
    // Without it, the opening would end when the first client disconnects, although others await it.
    context.waitUntil(node.catch(() => {}))
    try {
      return await (await node).fetch(request as unknown as Request)
    } catch (error) {
      return unavailable(error)
    }
  },
}

export default handler

/** A failure is kept for some seconds, so that a broken chain is not read again for each request. */
function opened(env: Env): Opening {
  const isStale = current?.failedAtMs !== undefined && Date.now() - current.failedAtMs >= MIRROR_RETRY_MS
  if (current !== undefined && !isStale) return current
  const origins = env.ISONODE_RPC_HTTP_CORS_ORIGINS?.split(',').map((origin) => origin.trim())
  const opening: Opening = { node: openMirror(env.CHAIN, logger, evmModule, origins) }
  opening.node.catch((error: unknown) => {
    opening.failedAtMs = Date.now()
    logger.error('cannot open the chain', { error: isNodeError(error) ? error.message : error })
  })
  current = opening
  return opening
}

function unavailable(error: unknown): Response {
  const message = isNodeError(error) ? error.message : 'cannot open the chain'
  const headers = { 'Retry-After': String(MIRROR_RETRY_MS / 1000) }
  return Response.json({ message }, { status: 503, headers })
}
