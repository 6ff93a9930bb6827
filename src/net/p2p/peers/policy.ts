/**
 * Rules for connections to peers, as data.
 * @see docs/reference/p2p.md section 5
 * @module
 */

/** Chosen by the operator. */
export interface PeerLimits {
  /** Admitted peers. A full node refuses inbound connections and does not dial. */
  readonly maxPeers: number
  /** Below this number of peers, discovery searches for more. */
  readonly wantedPeers: number
  /** Share of `maxPeers` that may be inbound, 0 to 100. Maintained peers do not count. */
  readonly maxInboundPercent: number
  /** Inbound peers that exceed the share are chosen at random rather than by age. */
  readonly hasRandomPriority: boolean
}

export const DEFAULT_PEER_LIMITS: PeerLimits = {
  maxPeers: 25,
  wantedPeers: 25,
  maxInboundPercent: 60,
  hasRandomPriority: false,
}

export const DIAL_RULES = {
  /** Interval of dials to maintained peers. */
  maintainedMs: 60_000,
  /** A maintained peer is dialled again so soon after a failure or a loss; further failures double the time. */
  firstRedialMs: 1_000,
  /** Longest such time. */
  maxRedialMs: 4_000,
  /** Number of such dials before the usual interval. */
  redials: 60,
  /** Interval of dials to known contacts. */
  candidatesMs: 30_000,
  /** A discovered node is dialled early, if no round was held within this time. */
  earlyRoundMs: 2_000,
  /** A contact that failed waits; each further failure doubles the time. */
  firstBackOffMs: 30_000,
  maxBackOffMs: 1_800_000,
  /** An outbound connection that ends earlier counts as a failure. */
  shortConnectionMs: 30_000,
} as const

/** A peer that broke a protocol is refused for a while, and for twice as long each further time. */
export const REFUSAL_RULES = { firstMs: 600_000, maxMs: 86_400_000 } as const

export const REPUTATION_RULES = {
  /** Time-outs of one kind of request without a useful answer to it. */
  maxTimeouts: 3,
  /** Useless answers within the window. */
  maxUseless: 5,
  uselessWindowMs: 60_000,
} as const

/** Interval at which the nodes that are kept over restarts are chosen. */
export const KEPT_NODES_INTERVAL_MS = 300_000

/** Reading of the DNS node lists. */
export const LIST_INTERVAL_MS = 600_000

export function maxInbound({ maxPeers, maxInboundPercent }: PeerLimits): number {
  return Math.floor((maxPeers * maxInboundPercent) / 100)
}
