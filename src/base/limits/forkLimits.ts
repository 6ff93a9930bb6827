/**
 * Bounds of what a fork keeps of other chains. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Fork: size of the cache on a disk, `--fork-cache-size` (estimate). */
export const FORK_CACHE_BYTES: number = 2048 * MIB
/** Fork: size of the cache in a browser (estimate). */
export const BROWSER_FORK_CACHE_BYTES: number = 256 * MIB
/** Fork: size of the cache in memory, for a node without another one. */
export const MEMORY_FORK_CACHE_BYTES: number = 64 * MIB
/** Fork: generations of a full cache; the oldest is given up as a whole. */
export const FORK_CACHE_GENERATIONS = 4
/** Fork: entries that wait to be written to the cache; further ones are not kept. */
export const MAX_FORK_CACHE_PENDING_BYTES: number = 32 * MIB
/** Fork: size of waiting entries from which they are written without delay. */
export const FORK_CACHE_BATCH_BYTES: number = MIB
/** Fork: time until a waiting entry is written to the cache. */
export const FORK_CACHE_DELAY_MS = 20
/** Fork: size of a pack; further entries are not added. */
export const MAX_FORK_PACK_BYTES: number = 256 * MIB
/** Fork: time that the end of a run waits for another process that writes the same pack. */
export const FORK_PACK_WAIT_MS = 10_000
