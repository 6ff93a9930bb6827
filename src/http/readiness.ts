/** The values that readiness depends on; read at each request. */
import type { URLSearchParams } from '../ports/webTypes.ts'
export interface Health {
  readonly p2pEnabled: boolean
  readonly peerCount: number
  /** Blocks between the head and the highest known block; 0 when no sync is in progress. */
  readonly blocksBehind: number
}

const DEFAULT_MIN_PEERS = 1
const DEFAULT_MAX_BLOCKS_BEHIND = 2
const DOWN = { status: 503, body: '{"status":"DOWN"}' }

/** `GET /readiness?minPeers=…&maxBlocksBehind=…`; a parameter that is not an integer results in 503. */
export function readiness(health: Health, query: URLSearchParams): { readonly status: number; readonly body: string } {
  const minPeers = integer(query.get('minPeers'), DEFAULT_MIN_PEERS)
  const maxBehind = integer(query.get('maxBlocksBehind'), DEFAULT_MAX_BLOCKS_BEHIND)
  if (minPeers === undefined || maxBehind === undefined) return DOWN
  const hasPeers = !health.p2pEnabled || health.peerCount >= minPeers
  return hasPeers && health.blocksBehind <= maxBehind ? { status: 200, body: '{"status":"UP"}' } : DOWN
}

function integer(text: string | null, fallback: number): number | undefined {
  if (text === null) return fallback
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined
}
