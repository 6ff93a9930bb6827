/**
 * Bounds of the deletion of old states.
 * @module
 */

/** Pruning: keys that are deleted together. */
export const MAX_PRUNED_KEYS = 2048
/** Pruning: blocks by which the bound of kept states moves at once. */
export const MAX_PRUNE_STEP_BLOCKS = 256
/** Pruning: the bound moves once the kept blocks, divided by this number, have been added. */
export const PRUNE_STEP_DIVISOR = 16
/** Pruning: time for readers that began before the bound was moved. */
export const PRUNE_GRACE_MS = 10_000
