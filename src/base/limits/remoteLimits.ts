/**
 * Bounds of the requests to other nodes. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Remotes: addresses of one chain. */
export const MAX_REMOTES = 16
/** Remotes: time for one answer. */
export const REMOTE_TIMEOUT_MS = 45_000
/** Remotes: attempts after the first one that all addresses failed. */
export const REMOTE_RETRIES = 5
/** Remotes: upper bound of the first random delay before another attempt; it doubles with each. */
export const REMOTE_BACKOFF_MS = 250
/** Remotes: maximum of that upper bound. */
export const MAX_REMOTE_BACKOFF_MS = 10_000
/** Remotes: time after which a request that keeps failing is given up, as a multiple of the time for one answer. */
export const REMOTE_TIMEOUTS_PER_REQUEST = 2
/** Remotes: silence after which the next address is asked too. */
export const REMOTE_SILENCE_MS = 1_000
/** Remotes: time for which one call waits for remotes or mirrors in all. The time limit of the call does not count it. */
export const MAX_CALL_WAIT_MS = 120_000
/** Remotes: time for which an address that failed comes after the others. */
export const REMOTE_PENALTY_MS = 30_000
/** Remotes: time for which an address may refuse everything because of its limit of rate before requests fail. */
export const MAX_REMOTE_LIMITED_MS: number = 5 * 60_000
/** Remotes: longest pause after such a refusal, unless the remote names a longer one. */
export const MAX_REMOTE_PAUSE_MS = 15_000
/** Remotes: wait for a limit of rate from which it is reported, and interval between reports. */
export const REMOTE_WAIT_REPORT_MS = 1_000
/** Remotes: requests over HTTP, or messages, that one address has to answer at a time. */
export const MAX_REMOTE_PARALLEL = 16
/** Remotes: requests of JSON-RPC in one batch. */
export const MAX_REMOTE_BATCH = 100
/** Remotes: bytes of one batch. */
export const MAX_REMOTE_BATCH_BYTES: number = 512 * 1024
/** Remotes: requests that wait or have no answer yet; further ones fail. */
export const MAX_REMOTE_REQUESTS = 262_144
/** Remotes: bytes of these requests. */
export const MAX_REMOTE_REQUEST_BYTES: number = 64 * MIB
/** Remotes: bytes of one answer with a trace, with logs, or of one batch. */
export const MAX_REMOTE_ANSWER_BYTES: number = 128 * MIB
/** Remotes: bytes of an answer with a block, receipts or code. */
export const MAX_REMOTE_BLOCK_BYTES: number = 64 * MIB
/** Remotes: bytes of an answer with a proof or an access list. */
export const MAX_REMOTE_PROOF_BYTES: number = 16 * MIB
/** Remotes: bytes of any other answer. */
export const MAX_REMOTE_VALUE_BYTES: number = MIB
/** Remotes: bytes of all answers that are being read; with more, fewer requests are sent at a time. */
export const MAX_REMOTE_READ_BYTES: number = 256 * MIB
/** Remotes: nesting of arrays and objects in an answer; traces of calls are the deepest. */
export const MAX_REMOTE_JSON_DEPTH = 8192
/** Remotes: characters of a remote's error message that are repeated. */
export const MAX_REMOTE_MESSAGE_LENGTH = 500
