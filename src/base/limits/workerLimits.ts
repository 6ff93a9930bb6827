/** Bounds of the node on Cloudflare Workers. */

const MIB = 1024 * 1024

/** Workers: memory for the values, indexes and blocks of the mirror. */
export const WORKER_MIRROR_CACHE_BYTES: number = 18 * MIB
/** Workers: reads of the store at a time; the platform has six connections for a request. */
export const WORKER_PARALLEL_READS = 6
/** Workers: reads of the store for one request; the free plan allows 50 subrequests. */
export const WORKER_READS_PER_REQUEST = 40
/** Workers: gas of one execution. */
export const WORKER_GAS_CAP = 25_000_000
/** Workers: objects that share the WebSockets. */
export const WORKER_SOCKET_SHARDS = 8
/** Workers: WebSockets of one of them. */
export const MAX_WORKER_SOCKETS = 2000
/** Workers: characters of a message of a WebSocket. */
export const MAX_WORKER_MESSAGE_LENGTH: number = MIB
/** Workers: characters of the subscriptions that a WebSocket carries itself; longer ones are in the storage of its object. */
export const MAX_ATTACHED_LENGTH = 1_800
/** Workers: time between two looks of such an object for a newer manifest, if the publisher does not use the Worker. */
export const WORKER_SOCKET_POLL_MS = 5_000
/** Workers: the same if it does, so that the object can sleep; a manifest whose news got lost is found then. */
export const WORKER_SOCKET_IDLE_MS = 60_000
/** Workers: shortest time between two looks of an isolate for a newer manifest. */
export const WORKER_POLL_MS = 1_000
/** Workers: characters of an answer that is kept in the cache of the data centre. */
export const MAX_CACHED_ANSWER_LENGTH: number = MIB
/** Workers: delay before a chain that failed to open is opened again. */
export const MIRROR_RETRY_MS = 10_000
