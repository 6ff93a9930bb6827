/**
 * Times and counts of Node Discovery v5.
 * @see devp2p, discv5-wire.md
 * @module
 */

/** The specification proposes 500 ms for an answer and 1 s for a handshake; a request may need both. */
export const REQUEST_MS = 1_500
export const CHALLENGE_MS = 2_000
/** Records in one answer. */
export const MAX_NODES = 16
/** NODES messages of one answer that are read. */
export const MAX_NODES_MESSAGES = 8
/** Bytes of records in one NODES message, so that the packet has at most 1280. */
export const MAX_RECORDS_BYTES = 1_100
/** Failures in a row after which a node is removed. */
export const MAX_FAILURES = 3
export const SWEEP_MS = 10_000
/** A node of the table that was silent for this time is pinged. */
export const STALE_MS = 60_000
/** Requests per sweep. */
export const MAX_SWEEP_PINGS = 32
/** Distances in one request of a search. */
export const SEARCH_DISTANCES = 3
