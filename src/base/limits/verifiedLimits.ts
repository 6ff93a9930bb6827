/**
 * Bounds of proofs and of answers that are verified.
 * @module
 */

/** Proofs: size of a trie node. A branch has at most 532 bytes; leaves and extensions are smaller. */
export const MAX_PROOF_NODE_BYTES = 532

/** Methods: accounts and slots that a call may read for `isonode_callWitness`. */
export const MAX_WITNESS_READS = 65_536
/** Methods: nodes, codes and headers in the answer of `isonode_callWitness`. */
export const MAX_WITNESS_BYTES: number = 32 * 1024 * 1024

/** Verified reads: headers that are asked for to reach a newer block from the trusted one. */
export const MAX_FOLLOWED_HEADERS = 16_384
/** Verified reads: time after which the newest trusted block is looked for again. */
export const HEAD_MAX_AGE_MS = 1000
/** Verified reads: time limit of a call, without its waits for the remote. */
export const VERIFIED_CALL_MS = 60_000
/** Verified reads: views of trusted heads that are kept in memory. */
export const MAX_VERIFIED_VIEWS = 2

/** Commands: requests in a batch to `isonode proxy`. */
export const MAX_PROXY_BATCH = 100
/** Commands: connections to `isonode proxy`. */
export const MAX_PROXY_CONNECTIONS = 256
/** Commands: size of a request to `isonode proxy`. */
export const MAX_PROXY_BODY_BYTES: number = 1024 * 1024
/** Commands: size of all requests to `isonode proxy` that are in progress. */
export const MAX_PROXY_PENDING_BYTES: number = 64 * 1024 * 1024
/** Commands: time to receive a request to `isonode proxy`. */
export const PROXY_REQUEST_MS = 30_000
