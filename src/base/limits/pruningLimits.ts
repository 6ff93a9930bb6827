/**
 * Bounds of the deletion of old states and of erased storages.
 * @module
 */

/** Pruning: keys that are deleted together. */
export const MAX_PRUNED_KEYS = 2048
/** Pruning: blocks by which the bound of kept states moves at once, so that it keeps up with a synchronisation. */
export const MAX_PRUNE_MOVE_BLOCKS = 8192
/** Pruning: the bound moves once this number of blocks has been added. */
export const MAX_PRUNE_STEP_BLOCKS = 256
/** Pruning: the bound moves once the kept blocks, divided by this number, have been added, if these are fewer. */
export const PRUNE_STEP_DIVISOR = 16
/** Pruning: time for readers that began before the bound was moved. */
export const PRUNE_GRACE_MS = 10_000
/** Erased storages: slots that are deleted from the flat view together. */
export const MAX_ERASED_SLOTS = 2048
/** Erased storages: blocks after which their slots are deleted. */
export const ERASED_STORAGE_KEPT_BLOCKS = 4096
/** Erased storages: blocks after which the node looks for slots to delete. */
export const ERASING_INTERVAL_BLOCKS = 256
