/**
 * Memory targets of nodes. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Memory: the default of --memory-target is the memory of the machine, divided by this number. */
export const DEFAULT_MEMORY_DIVISOR = 4
/** Memory: upper bound of that default. */
export const MAX_DEFAULT_MEMORY_BYTES: number = 4096 * MIB
/** Memory: target of a node in a page. */
export const PAGE_MEMORY_BYTES: number = 512 * MIB
