import {
  INBOUND_ATTEMPT_BURST,
  MAX_BUCKET_NODES_PER_SITE,
  MAX_SITE_INBOUND_PERCENT,
  MAX_SITE_OUTBOUND_PERCENT,
  MAX_TABLE_NODES_PER_SITE,
} from '../../base/limits/limits.ts'

/**
 * How much of this node one site may take. An attacker has many node ids, but few ranges of addresses. Maintained peers and
 * local addresses are exempt.
 * @see base/primitives/addressSite.ts
 */
export interface AddressShare {
  /** Nodes in one bucket of a table, and in one lookup. */
  readonly bucketNodes: number
  /** Nodes in one table. */
  readonly tableNodes: number
  /** Percentage of the inbound places. */
  readonly inboundPercent: number
  /** Percentage of the places that inbound peers cannot take. */
  readonly outboundPercent: number
  /** Connections that one address may open in a burst. */
  readonly attemptBurst: number
}

export const ADDRESS_SHARE: AddressShare = {
  bucketNodes: MAX_BUCKET_NODES_PER_SITE,
  tableNodes: MAX_TABLE_NODES_PER_SITE,
  inboundPercent: MAX_SITE_INBOUND_PERCENT,
  outboundPercent: MAX_SITE_OUTBOUND_PERCENT,
  attemptBurst: INBOUND_ATTEMPT_BURST,
}

/** @returns the places of one site, at least one */
export function sitePlaces(places: number, percent: number): number {
  return Math.max(1, Math.floor((places * percent) / 100))
}
