/**
 * Bounds of Otterscan's methods.
 * @module
 */

/** Methods: transactions that a page of ots_* may ask for; a page of a search ends with a whole block. */
export const MAX_OTS_PAGE_SIZE = 1000
/** Methods: blocks that one search of ots_* examines. */
export const MAX_OTS_SEARCH_BLOCKS = 16_384
/** Methods: gas of the blocks that one search of ots_* executes again, about a second of work. */
export const MAX_OTS_SEARCH_GAS = 1_000_000_000n
