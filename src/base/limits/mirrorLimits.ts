/**
 * Bounds of mirrors: what is written, and what a reader accepts of a store that may hold anything.
 * @module
 */

const KIB = 1024
const MIB = 1024 * KIB

/** Mirror: entries of a data block, before compression. A longer entry has its own block. */
export const MIRROR_BLOCK_BYTES: number = 32 * KIB
/** Mirror: a part of the index of a segment, with its filter. */
export const MIRROR_PART_BYTES: number = 16 * KIB
/** Mirror: a key. */
export const MAX_MIRROR_KEY_BYTES: number = KIB
/** Mirror: a value. */
export const MAX_MIRROR_VALUE_BYTES: number = 256 * MIB
/** Mirror: a segment, above which a publisher begins another one. */
export const MIRROR_SEGMENT_BYTES: number = 16 * MIB
/** Mirror: a segment that a reader accepts. */
export const MAX_MIRROR_SEGMENT_BYTES: number = 512 * MIB
/** Mirror: the directory of a segment, which names the parts of its index. */
export const MAX_MIRROR_DIRECTORY_BYTES: number = 4 * MIB
/** Mirror: a manifest, with the segment that lies inside. */
export const MAX_MANIFEST_BYTES: number = MIB
/** Mirror: a segment that lies inside its manifest. */
export const MAX_INLINE_SEGMENT_BYTES: number = 128 * KIB
/** Mirror: the filter of a segment in the manifest. A segment that needs a longer one is filtered by its parts. */
export const MAX_MANIFEST_FILTER_BYTES: number = 4 * KIB
/** Mirror: segments in a manifest. */
export const MAX_RECENT_SEGMENTS = 1024
/** Mirror: a list of merged segments. */
export const MAX_SEGMENT_LIST_BYTES: number = 16 * MIB
/** Mirror: the description of the chain, with its genesis file. */
export const MAX_MIRROR_IDENTITY_BYTES: number = 512 * MIB

/** Mirror: memory of a reader for indexes, blocks and values. */
export const MIRROR_CACHE_BYTES: number = 256 * MIB
/** Mirror: smallest memory of a reader. */
export const MIN_MIRROR_CACHE_BYTES: number = 8 * MIB
/** Mirror: reads of a store that run at the same time. */
export const MAX_MIRROR_READS = 32
/** Mirror: bytes between two wanted ranges that are read with them, instead of a second read. */
export const MIRROR_READ_GAP_BYTES: number = 8 * KIB
/** Mirror: a read of several ranges. */
export const MAX_MIRROR_READ_BYTES: number = MIB
/** Mirror: a segment that is read as a whole. */
export const WHOLE_SEGMENT_BYTES: number = 64 * KIB
/** Mirror: the index of a segment that is read with its directory. */
export const MAX_INDEX_AHEAD_BYTES: number = 512 * KIB
/** Mirror: blocks of a segment that a range reads ahead. */
export const MAX_BLOCKS_AHEAD = 32
/** Mirror: manifests that a reader follows one by one; beyond it, it goes to the newest one. */
export const MAX_FOLLOWED_MANIFESTS = 64
/** Mirror: size of the new segments whose keys leave the caches one by one; beyond it, the caches are cleared. */
export const MAX_CHANGED_SEGMENT_BYTES: number = 4 * MIB
/** Mirror: memory of a reader for what calls needed the last time. */
export const CALL_HINT_BYTES: number = 2 * MIB
/** Mirror: accounts and codes that are loaded ahead for a call. */
export const MAX_HINTED_ACCOUNTS = 32
/** Mirror: slots that are loaded ahead for a call. */
export const MAX_HINTED_SLOTS = 8
/** Mirror: functions of contracts whose calls a publisher counts. */
export const MAX_CALLED_FUNCTIONS = 256
/** Mirror: arguments of a call that is counted; longer ones are not. */
export const MAX_COUNTED_CALL_BYTES: number = KIB
/** Mirror: size of the published table of the functions that are called most. */
export const MAX_CALL_TABLE_BYTES: number = 8 * KIB
/** Mirror: time between two such tables. */
export const CALL_TABLE_INTERVAL_MS = 60_000
/** Mirror: hashes of blocks whose seals were verified, below which a reorganisation is followed from the trusted block. */
export const MAX_KEPT_ANCESTORS = 4096

/** Mirror: transactions that `--mirror-upstream` accepted and that are not published yet. */
export const MAX_UPSTREAM_TRANSACTIONS = 1024
/** Mirror: time for which such a transaction is shown. */
export const UPSTREAM_RETENTION_MS = 300_000

/** Browser: memory for what was read of a mirror. */
export const PAGE_MIRROR_CACHE_BYTES: number = 64 * MIB
/** Browser: the index of a segment of a mirror that is read with its directory. */
export const PAGE_INDEX_AHEAD_BYTES: number = 96 * KIB
/** Browser: time between two looks for a newer manifest. */
export const PAGE_MIRROR_POLL_MS = 4000
/** Browser: age of a manifest from which `/readiness` is down. */
export const PAGE_MIRROR_LAG_MS = 60_000
