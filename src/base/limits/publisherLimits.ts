/**
 * Bounds of publishing to a mirror. Sizes are bytes unless the name says otherwise.
 * @module
 */

const KIB = 1024
const MIB = 1024 * KIB

/** Mirror: changed keys of one record of the journal; a batch with more has several records. */
export const MAX_JOURNAL_RECORD_BYTES: number = 32 * KIB
/** Mirror: journal of changed keys. Beyond it the oldest records are deleted, and everything is published again. */
export const MAX_JOURNAL_BYTES: number = 32 * MIB
/** Mirror: records of the journal that are deleted with one batch of the database. */
export const MAX_TRIMMED_RECORDS = 1024
/** Mirror: number of blocks whose bodies and receipts one manifest removes. */
export const MAX_HISTORY_STEP_BLOCKS = 4096
/** Mirror: shortest time between two hints at the newest manifest. */
export const LATEST_HINT_MS = 10_000
/** Mirror: time after which a manifest is written although nothing has changed, so that readers know the publisher is well. */
export const MIRROR_HEARTBEAT_MS = 20_000
/** Mirror: wait after a failure of the store; it doubles with each. */
export const FIRST_PUBLISHER_WAIT_MS = 1000
/** Mirror: longest wait after a failure of the store. */
export const MAX_PUBLISHER_WAIT_MS = 60_000
/** Mirror: time for the last changes when a node stops. */
export const PUBLISHER_STOP_MS = 10_000
/** Mirror: time after which a failed thread is replaced. */
export const PUBLISHER_RESTART_MS = 5000
/** Mirror: segments since the last merge from which they are merged. */
export const MERGED_RECENT_SEGMENTS = 16
/** Mirror: unmerged segments from which everything is published again. */
export const MAX_UNMERGED_SEGMENTS = 128
/** Mirror: runs of one size that are merged, and the ratio of one size to the next. */
export const MERGE_RATIO = 8
/** Mirror: shorter runs of merged segments are of one size. */
export const MIN_RUN_BYTES: number = 64 * KIB
/** Mirror: runs of merged segments from which all are merged. */
export const MAX_MIRROR_RUNS = 60
/** Mirror: replaced objects that wait for their deletion; the oldest beyond them stay until `mirror prune`. */
export const MAX_RETIRED_OBJECTS = 100_000
/** Mirror: size of a merged segment from which it may end. */
export const MIN_MERGED_SEGMENT_BYTES: number = 4 * MIB
/** Mirror: the same for a segment of the accounts and slots at the head, whose whole index a page reads at once. */
export const MIN_HEAD_SEGMENT_BYTES: number = MIB
/** Mirror: longest value that the newest segment repeats, of the keys that every reader needs. */
export const MAX_START_VALUE_BYTES: number = 16 * KIB
