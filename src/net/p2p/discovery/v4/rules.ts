/**
 * Times and counts of Node Discovery v4 as Besu 23.4 uses them; see devp2p, discv4.md, for those of the protocol.
 * @module
 */

export const EXPIRATION_SECONDS = 60
/** A pong proves the endpoint of its sender for this time; from the specification. */
export const PROOF_MS: number = 12 * 3600 * 1000
/** Nodes in one Neighbors packet; their number is lower if they do not fit in 1280 bytes. */
export const MAX_NEIGHBORS = 13
/** Nodes of one answer that are read; other clients send 16 in two packets. */
export const MAX_ANSWERED_NEIGHBORS = 16
/** Wait for a second Neighbors packet. */
export const NEIGHBORS_GRACE_MS = 300
export const REFRESH_MS: number = 30 * 60 * 1000
/** Interval of lookups while peers are wanted. */
export const SEARCH_MS = 30_000
export const SWEEP_MS = 60_000
/** A node of the table that was silent for this time is pinged. */
export const STALE_MS = 300_000
/** Pings per sweep, so that a large table does not cause a burst. */
export const MAX_SWEEP_PINGS = 32
/** Lookups of random targets after the first contact. */
export const START_LOOKUPS = 3
/** A node on another chain is tried again after this time. */
export const REFUSAL_MS: number = 30 * 60 * 1000
/** A node that has not proven our endpoint yet needs time for a ping and a pong. */
export const PROOF_EXCHANGE_MS = 500

/**
 * Waits after each sending of a packet. The same packet is sent again, so a late answer to an earlier copy counts; the
 * sum of the waits is less than the expiration.
 */
export type Retries = readonly number[]

/** Bootnodes and nodes of the table: first wait 2 s, factor 1.5, 5 retries. */
export const PATIENT: Retries = [2_000, 3_000, 4_500, 6_750, 10_125, 15_187]
/** Nodes heard of from others, and requests of a lookup, whose rounds last 5 s. */
export const BRIEF: Retries = [1_000, 1_500, 2_500]
/** In answer to a ping: further packets would amplify a ping with a forged address. */
export const ONCE: Retries = [3_000]
