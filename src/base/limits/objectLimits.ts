/**
 * Bounds of the stores of objects, where mirrors are kept. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Mirror stores: one object, and one answer of a store. */
export const MAX_OBJECT_BYTES: number = 64 * MIB
/** Mirror stores: time for one answer. */
export const OBJECT_READ_MS = 30_000
/** Mirror stores: time to connect to Redis. */
export const OBJECT_CONNECT_MS = 10_000
/** Mirror stores: time to write one object. */
export const OBJECT_WRITE_MS = 120_000
/** Mirror stores: attempts after the first one that failed because of the network or the service. */
export const OBJECT_RETRIES = 4
/** Mirror stores: delay before the second attempt, if the service named none; it doubles with each. */
export const OBJECT_RETRY_MS = 200
/** Mirror stores: longest delay before another attempt; if the service asks for a longer one, the request fails. */
export const MAX_OBJECT_RETRY_MS = 10_000
/** Mirror stores: names in one answer to a list. */
export const OBJECT_LIST_NAMES = 1000
/** Mirror stores: bytes of one answer to a list, and of a message of a failed request. */
export const MAX_OBJECT_LIST_BYTES: number = 2 * MIB
/** Mirror stores: names that a store without order lists at once. */
export const MAX_UNORDERED_NAMES = 1_000_000
/** Mirror stores: characters of a service's message that are repeated. */
export const MAX_OBJECT_MESSAGE_LENGTH = 200
/** Mirror stores: bytes of one value of Workers KV, where objects are cut into parts. */
export const OBJECT_PART_BYTES: number = MIB
/** Mirror stores: the same of most drivers of unstorage; some need a third more for their encoding. */
export const UNSTORAGE_PART_BYTES: number = 512 * 1024
/** Mirror stores: the same of services whose values have at most 64 KiB, such as Deno KV. */
export const SMALL_OBJECT_PART_BYTES: number = 44 * 1024
/** Mirror stores: parts of one object that are read or written at a time. */
export const OBJECT_PARALLEL_PARTS = 6
/** Mirror stores: age of an incomplete file from which the folder's next publisher deletes it. */
export const PARTIAL_OBJECT_MS: number = 60 * 60_000
