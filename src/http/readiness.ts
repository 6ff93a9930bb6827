import type { URLSearchParams } from '../base/ports/webTypes.ts'

/** The values that readiness depends on; read at each request. */
export interface Health {
  /** Whether blocks are produced here or arrive from peers; otherwise, only imports extend the chain. */
  readonly isExtended: boolean
  readonly p2pEnabled: boolean
  readonly peerCount: number
  /** Blocks between the head and the highest known block; 0 when no sync is in progress. */
  readonly blocksBehind: number
  /** Why the chain makes no blocks although they are due; undefined while it makes them. */
  readonly standstill?: string | undefined
}

const DEFAULT_MIN_PEERS = 1
const DEFAULT_MAX_BLOCKS_BEHIND = 2
const UP = { status: 200, body: '{"status":"UP"}' }

/**
 * `GET /readiness?minPeers=…&maxBlocksBehind=…`: 200, or 503 with the reason. A parameter that is not an integer results
 * in 503. `minPeers=0` accepts a chain that only imports extend.
 */
export function readiness(health: Health, query: URLSearchParams): { readonly status: number; readonly body: string } {
  const minPeers = integer(query.get('minPeers'), DEFAULT_MIN_PEERS)
  const maxBehind = integer(query.get('maxBlocksBehind'), DEFAULT_MAX_BLOCKS_BEHIND)
  if (minPeers === undefined) return down('minPeers is not an integer')
  if (maxBehind === undefined) return down('maxBlocksBehind is not an integer')
  if (!health.isExtended && minPeers > 0)
    return down('nothing extends this chain: no block producer, no peers (minPeers=0 accepts this)')
  if (health.p2pEnabled && health.peerCount < minPeers) return down(`${health.peerCount} of ${minPeers} peers`)
  if (health.blocksBehind > maxBehind) return down(`${health.blocksBehind} blocks behind`)
  if (health.standstill !== undefined) return down(health.standstill)
  return UP
}

function down(reason: string): { readonly status: number; readonly body: string } {
  return { status: 503, body: JSON.stringify({ status: 'DOWN', reason }) }
}

function integer(text: string | null, fallback: number): number | undefined {
  if (text === null) return fallback
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined
}
