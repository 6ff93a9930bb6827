/**
 * Bounds of the dev chain and of its log. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Dev chain: accounts that are impersonated at the same time. */
export const MAX_IMPERSONATED_ACCOUNTS = 65_536
/** Dev chain: blobs of mined transactions that are kept in memory. */
export const MAX_MINED_BLOB_BYTES: number = 64 * MIB
/** Dev chain: outputs of failed transactions that are kept in memory, for the answers to their senders. */
export const MAX_MINED_FAILURE_BYTES: number = 4 * MIB
/** Dev chain: keys of a loaded state that are committed together. */
export const LOAD_SLICE_KEYS = 8192
/** Dev chain: signatures for which ecrecover returns a given address; they are stored with each block. */
export const MAX_IMPERSONATED_SIGNATURES = 64
/** Dev chain: accounts that are added while the node runs. */
export const MAX_ADDED_ACCOUNTS = 4096
/** Dev chain: uncompressed size of a state dump that is loaded. */
export const MAX_LOADED_DUMP_BYTES: number = 512 * MIB
/** Dev chain: uncompressed size of one line of a state dump that is loaded. */
export const MAX_DUMP_LINE_BYTES: number = 128 * MIB
/** Dev chain: uncompressed size of a state dump of anvil, whose accounts and blocks are held until all are read. */
export const MAX_ANVIL_DUMP_BYTES: number = 128 * MIB
/** Dev chain: size of a piece of `isonode_export`. */
export const TRANSFER_PIECE_BYTES: number = 256 * 1024
/** Dev chain: size of a piece of `isonode_import`. */
export const MAX_TRANSFER_PIECE_BYTES: number = MIB
/** Dev chain: exports of the chain at the same time; the oldest ends. */
export const MAX_CHAIN_EXPORTS = 4
/** Dev chain: time that an import of the chain waits for its next piece. */
export const TRANSFER_IDLE_MS = 30_000
/** Dev chain: time after which the last piece of an import is answered although the chain is not loaded yet. */
export const TRANSFER_ANSWER_MS = 20_000
/** Dev chain: slots that are tried to find the balance of a token. */
export const MAX_PROBED_SLOTS = 64
/** Dev chain: blocks that one request may replace or list, or mine where empty blocks are not derived. */
export const MAX_WHOLE_BLOCKS_PER_REQUEST = 100_000
/** Dev chain: empty blocks of one request that are executed and stored; more become a run, which is derived. */
export const MAX_STORED_EMPTY_BLOCKS = 512
/** Dev chain: highest number of a block that many blocks at once may reach. */
export const MAX_MINED_NUMBER: number = 2 ** 47
/** Dev chain: latest timestamp, in seconds, that many blocks at once may reach. */
export const MAX_MINED_TIMESTAMP = 9_007_199_254_740_991n
/** Dev chain: stretches of runs whose hashes are kept in memory; 32 KiB each. */
export const RUN_STRETCH_CACHE_ITEMS = 128
/** Dev chain: runs that are kept in memory, about 4 KiB each. */
export const MAX_OPEN_RUNS = 256
/** Dev chain: derived blocks whose hashes are kept in memory. */
export const MAX_KNOWN_RUN_HASHES = 65_536
/** Dev chain: derived blocks that were read and wait to be indexed; further ones are found by number only. */
export const MAX_PENDING_RUN_HASHES = 65_536
/** Dev chain: size of a file with the code of a predeployed contract. */
export const MAX_ARTIFACT_FILE_BYTES: number = 16 * MIB
/** Dev chain: struct types of one EIP-712 message. */
export const MAX_TYPED_DATA_TYPES = 256
/** Dev chain: snapshots that can be reverted to; the oldest is evicted. */
export const MAX_SNAPSHOTS = 4096
/** Log of the dev chain: calls of the console address that one transaction or call may record. */
export const MAX_WATCHED_CALLS = 256
/** Log of the dev chain: bytes of the input of such a call that are kept. */
export const MAX_WATCHED_INPUT_BYTES: number = 16 * 1024
/** Log of the dev chain: entries that wait to be printed; further ones are only counted. */
export const MAX_LOG_ENTRIES = 4096
/** Log of the dev chain: call data of the entries that wait to be printed. */
export const MAX_LOG_ENTRY_BYTES: number = 32 * MIB
/** Log of the dev chain: minimum interval between two writes. */
export const LOG_FLUSH_MS = 100
/** Log of the dev chain: maximum interval between two writes. */
export const MAX_LOG_PAUSE_MS = 400
/** Log of the dev chain: minimum interval between two writes while further entries wait. */
export const LOG_NEXT_FLUSH_MS = 20
/** Log of the dev chain: time after which a write ends. */
export const LOG_FLUSH_BUDGET_MS = 2
/**
 * Log of the dev chain: entries after which a write ends. It should fit into the buffer of a pipe: a longer one
 * blocks the program until the reader has read.
 */
export const LOG_FLUSH_ENTRIES = 192
/** Log of the dev chain: share of all time that writes may take. */
export const LOG_TIME_SHARE = 0.03
/** Log of the dev chain: calls shown of one transaction (--verbose). */
export const MAX_LOGGED_CALLS = 500
/**
 * Log of the dev chain: budget for executing failures again to find their call path, when none was used for a while.
 */
export const MAX_FAILURE_TRACE_MS = 1_000
/** Log of the dev chain: share of all time by which that budget grows. */
export const FAILURE_TRACE_SHARE = 0.05
/** Log of the dev chain: unread bytes at which the output waits for its reader. */
export const MAX_UNREAD_OUTPUT_BYTES: number = 256 * 1024
/** Stack traces: lines of one failure in an answer. */
export const MAX_STACK_LINES = 64
/** Stack traces: lines of one failure in the text of the log. */
export const MAX_LOGGED_STACK_LINES = 10
/** Stack traces: budget for executing failed calls again before they are answered, when none was used for a while. */
export const MAX_ANSWER_TRACE_MS = 2_000
/** Stack traces: share of all time by which that budget grows. */
export const ANSWER_TRACE_SHARE = 0.5
